"""Messages of a person, one a line: decisions, requests with what they ask for, and others that hold neither."""

DECISIONS = """\
We decided to ship the beta without push notifications.
OK, let's go with the blue palette for the landing page.
After a long talk we agreed to drop Internet Explorer support.
We'll host everything in the EU region from now on.
I've decided to write the service in Go.
We settled on two-week sprints.
The team chose SvelteKit over Next.js.
Decision: all timestamps are stored in UTC.
We're going with Stripe for payments.
Let's standardise on conventional commits.
We agreed that every bug fix needs a regression test.
From now on we only deploy from the release branch.
We picked Tailwind instead of plain CSS.
Let's stick with Postgres.
I decided against using an ORM here.
We have decided not to support Python 3.9.
Final decision: the project is called Lantern.
We opted for server-side rendering.
Let's use Celery instead of cron for the jobs.
We are switching to trunk-based development.
We made up our minds: no dark mode in version 1.
We resolved to keep the API backwards compatible for a year.
Yesterday we decided that Nora leads the migration.
Let's adopt semantic versioning.
We've agreed on 80 characters per line.
We chose OpenTelemetry for tracing because it is vendor neutral.
I'm going to stick with vim.
We're dropping the legacy importer in June.
In the meeting we agreed to rename the product to Harbor.
It's settled: we use British English in the docs.
We will use feature branches rather than forks.
Let's keep the monolith for this year.
We finally decided to buy instead of build.
My decision is to keep the old domain.
We voted for Fridays off in August.
We're sticking to REST.
The plan is fixed: we launch on 3 May.
Going forward, reviews happen within one day.
We won't use microservices.
Let's make 99.9 percent our target for uptime.
We've chosen Hetzner as the provider.
Agreed, we put the docs into the same repository.
I choose the second option, the queue with retries.
We concluded that caching belongs in the gateway.
We are moving the blog to Ghost.
We committed to WCAG AA for all pages.
Let's settle on snake_case for JSON keys.
So we decided: Redis for sessions, Postgres for the rest.
We'll go with option B, the managed database.
Starting today we squash every pull request.
我们决定用 Go 重写这个服务。
会上定了，五月三日上线。
以后都用 UTC 存时间。
就用蓝色方案吧。
我们商量好了，不支持 IE。
我们选了 Stripe 做支付。
最终决定产品叫灯塔。
从今天起所有合并都要压缩提交。
团队一致同意每个修复都要有回归测试。
我决定不用 ORM。
那就按两周一个迭代来。
我们确定采用语义化版本。
还是用 Postgres 吧。
我们改用 pnpm 了，不再用 npm。
大家说好周五不发版。
决定了：文档放在同一个仓库。
咱们统一用 snake_case。
我们放弃微服务，继续用单体。
经过讨论，我们选择自建而不是购买。
以后代码评审一天内完成。
我们敲定由诺拉负责迁移。
昨天开会决定八月周五休息。
结论是缓存放在网关。
我们打定主意第一版不做深色模式。
就这么定了，域名保留旧的。
我们已经决定接口兼容一年。
今后一律从发布分支部署。
我拍板了，用第二个方案。
我们达成一致，文档用英式英语。
方案定下来了：用托管数据库。
We decided to keep the old pricing until autumn.
Let's go with the larger server.
We agreed that designers review every form.
From now on all secrets go into Vault.
I've decided we drop support for Node 16.
The team settled on Kotlin for the new app.
We're going with the second logo.
We chose Matrix over Slack.
Decision: no weekend deploys.
Let's use Playwright instead of Selenium.
We'll stick to monthly releases.
We have decided against a rewrite.
Let's agree on British spelling.
After the outage we decided to run two regions.
We opted to self-host the runners.
Going forward, all tickets get a size.
We've settled on four-day weeks in summer.
We will use UUIDs instead of serial ids.
We picked Grafana for dashboards.
I have decided to leave the old API as it is.
Let's standardise on pnpm.
The decision was to cancel the fair.
We are dropping the Windows build.
We won't support dark mode.
Let's keep using Jenkins until spring.
We have chosen Lisbon for the retreat.
We finally agreed on a name: Ember.
We've decided: the CLI stays free.
We want to go with MIT as the license.
OK, decided, we use tabs.
我们决定价格到秋天前不变。
就选大一点的服务器吧。
大家同意每个表单都由设计师审核。
以后所有密钥都放 Vault。
我决定不再支持 Node 16。
团队选定 Kotlin 做新应用。
我们选第二个标志。
决定：周末不部署。
我们用 Playwright 代替 Selenium。
我们坚持每月发布一次。
会上决定不重写。
我们约定用英式拼写。
讨论后我们决定跑两个机房。
今后所有工单都要估点。
我们统一用 pnpm。
最后定了，用四天工作制。
我们不做深色模式了。
就用 Grafana 做看板。
名字定了，叫余烬。
从今以后许可证一律用 MIT。
We decided to move the sprint review to Thursday.
Let's go with Hugo for the blog.
We agreed that the API gets a version prefix.
From now on we write tests first.
I decided to keep the monorepo.
We settled on Mapbox.
The team picked Zurich for the offsite.
Decision: logs are JSON.
Let's use OAuth rather than API keys.
We're sticking with Django.
We have decided not to hire this year.
We'll only support the last two browsers from now on.
We agreed on a code freeze in December.
Let's drop the beta channel and ship weekly.
In the end we chose the cheaper plan.
Our decision is to open-source the client.
We'll go with weekly invoices.
I've settled on Fira Code as my font.
We decided on Monday that Otto owns releases.
We are going to switch to Bazel.
我们决定把评审会挪到周四。
博客就用 Hugo 吧。
我们同意接口加版本前缀。
以后我们先写测试。
我决定保留单体仓库。
地图最终选了高德。
团队定在苏州团建。
决定：日志用 JSON。
我们用 OAuth，不用密钥。
我们继续用 Django。
今年我们决定不招人。
以后只支持最近两个浏览器版本。
大家商定十二月冻结代码。
最后我们选了便宜的套餐。
我们一致决定把客户端开源。
就按每周开票来。
说好了，奥托负责发布。
咱们改成用 Bazel 构建。
从现在开始一律写中文注释。
结论：先修稳定性，再做新功能。
""".splitlines()

REQUESTS = tuple(
    tuple(line.split("|"))
    for line in """\
Remember that my dentist is Dr. Amari.|my dentist is Dr. Amari
Please remember I'm allergic to penicillin.|I'm allergic to penicillin
Don't forget that the demo account is called guest7.|the demo account is called guest7
Keep in mind that our CI only has 4 GB of memory.|our CI only has 4 GB of memory
Note: the staging database is wiped every Sunday.|the staging database is wiped every Sunday
Our VPN is slow in the evening. Remember that.|Our VPN is slow in the evening
Remember my name is Ida, and fix the failing test.|my name is Ida
Can you remember that I prefer metric units?|I prefer metric units
Always remember to run the linter before you commit.|always run the linter before you commit
From now on, answer in Danish.|answer in Danish
Update your memory: the project moved to GitLab.|the project moved to GitLab
You should know for next time: the tests need Docker.|the tests need Docker
Save this to memory: the API key lives in 1Password.|the API key lives in 1Password
Make a note that Otto is on leave until June.|Otto is on leave until June
Hey, remember we never deploy on Fridays, ok?|we never deploy on Fridays
For future reference, the port of the mock server is 4010.|the port of the mock server is 4010
Never forget: backups are checked on the first of each month.|backups are checked on the first of each month
I want you to remember that the client is colour blind.|the client is colour blind
Please keep in mind my timezone is CET.|my timezone is CET
Bear in mind that the parser is not thread safe.|the parser is not thread safe
Take note: invoices go to billing@acme.example.|invoices go to billing@acme.example
remember: use four spaces in Python files|use four spaces in Python files
Could you please note that the office moves in May?|the office moves in May
Remember this: the router password is on the fridge.|the router password is on the fridge
It's important that you remember that the schema is frozen.|the schema is frozen
We deploy from the release branch, keep that in mind.|We deploy from the release branch
Add to your memory that Lena owns the design system.|Lena owns the design system
Memorize this: the build number starts at 5000.|the build number starts at 5000
Please don't forget that I work part time on Mondays.|I work part time on Mondays
Store in memory: the customer prefers phone calls.|the customer prefers phone calls
Remember, our mascot is called Pixel.|our mascot is called Pixel
Let me tell you something to remember: I was born in 1988.|I was born in 1988
Also remember that the logo must stay green.|the logo must stay green
Write down that the fuse box is in the basement.|the fuse box is in the basement
By the way, remember that Tom is my manager.|Tom is my manager
Remember never to push to main.|never push to main
Jot down that the printer needs toner 85A.|the printer needs toner 85A
Just remember that we use tabs in Makefiles.|we use tabs in Makefiles
I'd like you to remember my favourite editor is Helix.|my favourite editor is Helix
Record that the warranty ends in 2029.|the warranty ends in 2029
记住我的牙医是李医生。|我的牙医是李医生
请记住我对青霉素过敏。|我对青霉素过敏
别忘了演示账号叫 guest7。|演示账号叫 guest7
帮我记一下：测试库每周日清空。|测试库每周日清空
我姓章，立早章，记住啊|我姓章，立早章
记住我姐姐叫安娜，然后帮我写周报|我姐姐叫安娜
不要忘记我们周五不发版。|我们周五不发版
从现在起用中文回答。|用中文回答
帮我记：会议室密码贴在门上。|会议室密码贴在门上
将来会用到：模拟服务端口是 4010。|模拟服务端口是 4010
强调一下：接口已经冻结。|接口已经冻结
我周一只上半天班，记住没？|我周一只上半天班
你要记住客户是色盲。|客户是色盲
麻烦记下来：发票寄到上海办公室。|发票寄到上海办公室
记一下，奥托休假到六月。|奥托休假到六月
请你牢记解析器不是线程安全的。|解析器不是线程安全的
把这条存到记忆里：项目迁到了 GitLab。|项目迁到了 GitLab
以后记得提交前要跑检查。|提交前要跑检查
我习惯用公制单位，请记住。|我习惯用公制单位
千万别忘了备份每月一号检查。|备份每月一号检查
能不能帮我记住我是 1988 年出生的？|我是 1988 年出生的
另外记住标志必须是绿色的。|标志必须是绿色的
写入记忆：莱娜负责设计系统。|莱娜负责设计系统
一定要记住汤姆是我的主管。|汤姆是我的主管
备忘：打印机要用 85A 墨盒。|打印机要用 85A 墨盒
记住，我们的吉祥物叫豆豆。|我们的吉祥物叫豆豆
永远记住不要直接推到主分支。|不要直接推到主分支
你记住哈，构建号从 5000 开始。|构建号从 5000 开始
请记录：保修到 2029 年。|保修到 2029 年
记得我最喜欢的编辑器是 Helix。|我最喜欢的编辑器是 Helix
Remember that the alarm code changed.|the alarm code changed
Please note that Rita is vegetarian.|Rita is vegetarian
Don't forget: the trial account expires in June.|the trial account expires in June
Keep in mind the import runs at night.|the import runs at night
Remember I use a Dvorak keyboard, then run the tests.|I use a Dvorak keyboard
For next time: the server needs port 8443.|the server needs port 8443
Our invoices are in Swiss francs. Please remember this.|Our invoices are in Swiss francs
Could you remember that my daughter is called Mia?|my daughter is called Mia
Save to memory that the lease ends in 2030.|the lease ends in 2030
Make a note: Paul approves travel.|Paul approves travel
Update your memory: we use Bun now.|we use Bun now
Always remember to ask before deleting files.|always ask before deleting files
I want you to note that our API is public.|our API is public
Remember: no emojis in commit messages.|no emojis in commit messages
Ok so please remember that I live in Turku.|I live in Turku
Take a note that the museum is closed on Mondays.|the museum is closed on Mondays
And remember the deadline is 4 April.|the deadline is 4 April
Please never forget that the client hates acronyms.|the client hates acronyms
Just keep in mind that staging has no mail.|staging has no mail
Remember this for later: the key is under the mat.|the key is under the mat
记住报警密码换了。|报警密码换了
请注意记一下，丽塔吃素。|丽塔吃素
别忘了试用账号六月到期。|试用账号六月到期
记住我用 Dvorak 键盘，然后跑测试。|我用 Dvorak 键盘
我女儿叫米娅，记住哦。|我女儿叫米娅
帮我记住租约到 2030 年。|租约到 2030 年
记一下：保罗审批差旅。|保罗审批差旅
更新一下你的记忆：我们现在用 Bun。|我们现在用 Bun
请记住提交信息不用表情。|提交信息不用表情
你帮我记着，博物馆周一闭馆。|博物馆周一闭馆
记住了，截止日期是四月四日。|截止日期是四月四日
不要忘了客户讨厌缩写。|客户讨厌缩写
这个以后会用到：钥匙在门垫下面。|钥匙在门垫下面
从今天开始叫我老王。|从今天开始叫我老王
我住图尔库，别忘了。|我住图尔库
请把“接口是公开的”记下来。|接口是公开的
加到记忆里：发票用瑞士法郎。|发票用瑞士法郎
强调一下，删文件前先问我。|删文件前先问我
记住啊，预发环境没有邮件。|预发环境没有邮件
麻烦你记住我对猫毛过敏。|我对猫毛过敏
Remember that Otto hates long meetings.|Otto hates long meetings
Please remember: the VPN needs a token.|the VPN needs a token
Don't forget that the flat has no lift.|the flat has no lift
Keep in mind that the tablet runs Android 10.|the tablet runs Android 10
Remember my wife is called Sara, and then update the readme.|my wife is called Sara
For future reference: the fuse is 16 A.|the fuse is 16 A
The printer only takes A4. Remember that.|The printer only takes A4
Could you please remember that I am left-handed?|I am left-handed
Save this: the cabin is booked for July.|the cabin is booked for July
Make a note that the vet is closed on Fridays.|the vet is closed on Fridays
Update your memory: Ida moved to Lyon.|Ida moved to Lyon
Always remember to use the metric system.|always use the metric system
Note that our fiscal year starts in April.|our fiscal year starts in April
Remember, I never work on Sundays.|I never work on Sundays
Hey, can you keep in mind that the demo laptop is slow?|the demo laptop is slow
I need you to remember that the door code is 4 digits.|the door code is 4 digits
Store this in your memory: Kai is the backup contact.|Kai is the backup contact
You should know for next time: port 25 is blocked.|port 25 is blocked
Never forget that prod has no undo.|prod has no undo
My shoe size is 43, please remember.|My shoe size is 43
记住奥托讨厌长会。|奥托讨厌长会
请记住：远程登录要令牌。|远程登录要令牌
别忘了这套房没有电梯。|这套房没有电梯
记住平板是安卓 10。|平板是安卓 10
记住我妻子叫莎拉，然后更新说明。|我妻子叫莎拉
将来会用到：保险丝是 16 安。|保险丝是 16 安
打印机只认 A4，记住。|打印机只认 A4
能不能记住我是左撇子？|我是左撇子
帮我记：木屋订在七月。|木屋订在七月
记一下兽医周五休息。|兽医周五休息
更新记忆：艾达搬到了里昂。|艾达搬到了里昂
以后记得用公制单位。|用公制单位
我周日从不工作，记住啊。|我周日从不工作
请你记住演示电脑很慢。|演示电脑很慢
存到记忆里：小凯是备用联系人。|小凯是备用联系人
强调一下：25 端口被封了。|25 端口被封了
千万别忘了生产环境不能撤销。|生产环境不能撤销
我鞋码是 43，请记住。|我鞋码是 43
不要忘记财年从四月开始。|财年从四月开始
从今天起只用中文写提交信息。|从今天起只用中文写提交信息
""".splitlines()
)

OTHERS = """\
Do you remember what we discussed yesterday?
I don't remember the password.
Fix the failing test in parser.py.
Why does the build fail on Windows?
Should we go with Redis or Memcached?
If we decided to use Kafka, how would the schema look?
The customer decided to cancel the order.
Add a "remember me" checkbox to the login form.
What did the team decide about caching?
Write a function that stores a value in memory.
The memory usage is too high, profile it.
Rename note.py to notes.py.
Let's fix this bug.
Let's go through the code together.
Let's run the tests again.
They agreed to pay in advance.
Explain how going with a monorepo affects CI.
Can you choose a better variable name?
Maybe we should use Postgres.
I might switch to pnpm some day.
He said "we decided to use Rust" but nothing happened.
Update the memory limit of the container to 2 GB.
Save the file as output.csv.
Keep the function short.
Note the error in line 12 and fix it.
I forgot to commit the lock file, please add it.
Remember when we had to restart the server every day?
Show me the decision tree for this dataset.
Implement a decider that picks the cheapest route.
Switch to the feature branch and rebase it.
The docs say we agreed on a format, check whether that is true.
How do I record a macro in vim?
Add a note field to the invoice model.
Please forget about the last error and continue.
Make the important text bold.
Use the second approach and rewrite the loop.
Let's see what the profiler says.
Going forward in the list, print each item.
Choose an icon for the toolbar.
Is it decided yet?
We haven't decided on a name.
Once we decide on a database, update the readme.
What is the best way to keep state in React?
Create a migration that adds an index.
The store is empty, why?
Track the position of the mouse.
Translate this sentence into French.
Summarise the meeting notes below.
Refactor the settings page.
The future of the project is unclear.
你还记得昨天聊了什么吗？
我不记得密码了。
修一下 parser.py 里失败的测试。
为什么在 Windows 上构建失败？
我们该用 Redis 还是 Memcached？
如果决定用 Kafka，表结构怎么设计？
客户决定取消订单。
给登录页加一个“记住我”的复选框。
团队对缓存是怎么决定的？
写一个把值存到内存里的函数。
内存占用太高，分析一下。
把 note.py 改名为 notes.py。
我们来修这个错误。
一起看看这段代码。
再跑一遍测试。
他们同意先付款。
解释一下选用单体仓库的影响。
换一个更好的变量名。
也许应该用 Postgres。
我可能会换成 pnpm。
他说“我们决定用 Rust”，结果什么也没发生。
把容器的内存上限改成 2 GB。
保存为 output.csv。
函数写短一点。
忘了提交锁文件，请加上。
画一棵决策树。
切换到功能分支并变基。
怎么在 vim 里录制宏？
给发票模型加一个备注字段。
把重要的文字加粗。
用第二种方法重写循环。
看看性能分析的结果。
选一个工具栏图标。
定下来了吗？
名字还没定。
等数据库定了再更新说明。
React 里怎么保存状态最好？
写一个加索引的迁移。
记录鼠标的位置。
把这句话翻译成法语。
总结下面的会议记录。
重构设置页面。
存储是空的，为什么？
以后的计划是什么？
统一一下缩进格式。
决定论是什么意思？
这里选择排序算法为什么慢？
记事本怎么打开？
说明约定俗成的命名方式。
把日志写到文件里。
Run the tests and show me the output.
Which database did we choose?
Let's add a button to the header.
Let's look at the logs first.
Let's use a set here, the list is slow.
I want to go to the second page of the results.
The function should remember the last value.
Store the result in a variable.
Did we agree on a deadline?
She chose the blue one.
If we go with Redis, what changes?
Help me decide between Vue and Svelte.
Remind me how generators work.
Delete the note at the top of the file.
Make a notebook with three cells.
What should I keep in mind when using threads?
Important: do not touch the vendor folder.
Find where the settings are stored.
Switch the colours of the two buttons.
Picked up the ticket, what now?
We are moving the helper into utils, please do it.
Use async here instead of callbacks.
Don't use var in this file.
Starting today's build fails, why?
Explain the decision in line 40.
The client wants us to go with Angular, what do you think?
From now the loop is infinite, fix it.
Save and commit.
I forgot what this flag does.
Write a memo to the team about holidays.
Please continue.
Choose a seed and rerun.
Use the plan of last week and update the dates.
We won't get far with this, rewrite it.
Going with the flow is not a strategy, what is the title of this essay?
跑一下测试，把结果给我看。
我们选了哪个数据库？
给页头加一个按钮。
先看看日志。
这里用集合，列表太慢。
函数要记住上一次的值。
把结果存到变量里。
我们定截止日期了吗？
她选了蓝色的。
如果用 Redis，会有什么变化？
帮我在 Vue 和 Svelte 之间做决定。
删掉文件开头的备注。
用线程要注意什么？
找到设置保存在哪里。
把两个按钮的颜色换一下。
这里改用异步，不要回调。
这个文件里别用 var。
解释第 40 行的判断。
客户想用 Angular，你怎么看？
从现在的代码看，循环会死锁，修一下。
保存并提交。
我忘了这个参数是干什么的。
给团队写一份放假通知。
继续。
选一个随机种子再跑。
按上周的计划更新日期。
放弃这次修改，恢复原样。
统一改成小写。
全部重新格式化。
还是不行，再看看。
Let's refactor this class.
Let's go step by step.
Let's use recursion in this function.
Can we go with a different approach here?
Why did you choose a dict?
Write a test for the decision service.
The user should be able to save drafts.
How do I store a password hash?
Make the tooltip say "remember to save".
I can't remember the syntax, show me an example.
Remove the note from the header.
Keep the signature and change the body.
Use the new endpoint in client.ts.
Don't use any in this file.
Undo the last change.
Is it a good idea to switch to Bazel?
My boss decided to cancel the project, what do I write to the client?
Rewrite the paragraph in a friendlier tone.
What does "going forward" mean in this contract?
Pick a colour that fits.
Check whether the port is free.
Put the constants into a separate module.
Memory leak in worker.js, find it.
Please note the deadline in the ticket template with a placeholder.
List all decisions in docs/adr.
重构这个类。
一步一步来。
这个函数里用递归。
换一种做法行吗？
为什么选字典？
给决定服务写个测试。
用户应该能保存草稿。
密码哈希怎么存？
提示框写上“记得保存”。
语法我记不清了，举个例子。
把页头的备注去掉。
签名不变，改函数体。
client.ts 里用新接口。
这个文件别用 any。
撤销上次修改。
改用 Bazel 好不好？
老板决定取消项目，我怎么跟客户说？
这段改得友好一点。
选一个合适的颜色。
看看端口有没有被占用。
常量放到单独的模块。
worker.js 内存泄漏，找出来。
列出 docs/adr 里的所有决定。
以后这里会报错吗？
定一个变量名。
""".splitlines()
