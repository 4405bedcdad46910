"""More pairs, one a line, the older first; of the first kind with a question that the newer one answers."""

CONFLICTING = tuple(
    tuple(line.split("|"))
    for line in """\
The nightly backup runs at 2 am.|The nightly backup runs at 4 am.|when does the nightly backup run
Invoices are due within 30 days.|Invoices are due within 14 days.|when are invoices due
Our staging server is in Frankfurt.|Our staging server is in Dublin now.|where is the staging server
The project uses Python 3.10.|The project uses Python 3.12.|which python does the project use
Marta is the product owner.|Jonas is the new product owner.|who is the product owner
We review pull requests on Tuesdays.|We review pull requests on Thursdays.|when do we review pull requests
Never force-push to main.|Force-pushing to main is fine now.|may I force-push to main
The config lives in config/app.yaml.|The config lives in settings/app.toml.|where does the config live
Frontend tests run with Jest.|We switched frontend tests from Jest to Vitest.|what runs the frontend tests
The user prefers tea.|The user prefers coffee now.|what does the user prefer to drink
Anna's birthday is on 12 May.|Anna's birthday is on 14 May.|when is Anna's birthday
The API rate limit is 100 requests per minute.|The API rate limit is 250 requests per minute.|what is the api rate limit
The release branch is called stable.|The release branch is called production.|what is the release branch called
Logs are kept for 7 days.|Logs are kept for 90 days.|how long are logs kept
The team standup is at 9:30.|The team standup has moved to 10:15.|when is the team standup
We use npm as the package manager.|We use pnpm instead of npm.|which package manager do we use
The user lives in Oslo.|The user moved to Bergen.|where does the user live
The database is MySQL 5.7.|We migrated the database to Postgres.|which database
Deployments need two approvals.|Deployments need one approval.|how many approvals do deployments need
Our CI runs on Jenkins.|Our CI runs on GitHub Actions.|what does our CI run on
The main contact at Acme is Peter Holm.|The main contact at Acme is Lisa Brand.|who is the contact at Acme
Indentation is 2 spaces.|Indentation is 4 spaces.|what is our indentation
The dev server listens on port 3000.|The dev server listens on port 5173.|which port does the dev server listen on
Feature flags are stored in LaunchDarkly.|Feature flags are no longer in LaunchDarkly, they are in Unleash.|where are feature flags
The office is closed on Mondays.|The office is open on Mondays again.|is the office open on mondays
The user is vegetarian.|The user is no longer vegetarian.|is the user vegetarian
Secrets are stored in Vault.|Secrets are stored in AWS Secrets Manager now.|where are secrets stored
The CTO is Brigitte Meyer.|The CTO is Farid Nasser.|who is the CTO
Commit messages are written in German.|Commit messages are written in English.|in which language are commit messages
The contract ends on 2027-03-31.|The contract ends on 2028-03-31.|when does the contract end
Use tabs for Go files.|Use spaces for Go files.|tabs or spaces for go files
Caching is enabled in production.|Caching is disabled in production.|is caching enabled in production
The newsletter goes out every Monday.|The newsletter goes out every Friday.|when does the newsletter go out
The maximum upload size is 10 MB.|The maximum upload size is 50 MB.|what is the maximum upload size
The user's manager is Tom.|The user's manager is now Sarah.|who is the user's manager
Docs are in the wiki.|Docs are not in the wiki any more, they are in docs/.|where are the docs
We squash commits before merging.|We don't squash commits before merging.|do we squash commits before merging
Retries happen 3 times.|Retries happen 5 times.|how often do retries happen
The Berlin office has 40 employees.|The Berlin office has 55 employees.|how many employees has the Berlin office
The user works at Siemens.|The user works at Bosch.|where does the user work
The user's email is kim@old.example.|The user's email is kim@new.example.|what is the user's email
The support hotline is open until 6 pm.|The support hotline is open until 8 pm.|until when is the hotline open
The sprint lasts two weeks.|The sprint lasts three weeks.|how long is the sprint
Minimum Node version is 18.|Minimum Node version is 20.|what is the minimum node version
Alerts go to the #ops channel.|Alerts go to the #incidents channel.|where do alerts go
We use REST between services.|We use gRPC between services.|what do we use between services
The user dislikes dark mode.|The user likes dark mode now.|does the user like dark mode
The default branch is master.|We renamed the default branch from master to main.|what is the default branch
The test database is called app_test.|The test database is called ci_test.|what is the test database called
Payments are handled by Stripe.|Payments are handled by Adyen.|who handles payments
Holger maintains the billing service.|Ines took over the billing service from Holger.|who maintains the billing service
The build takes 12 minutes.|The build takes 4 minutes.|how long does the build take
Do not use ORMs in this project.|ORMs are allowed in this project.|may we use ORMs
The user speaks Spanish at home.|The user speaks Portuguese at home.|what does the user speak at home
The demo is on Wednesday.|The demo has been moved to Friday.|when is the demo
The license is MIT.|The license is Apache 2.0.|which license
The scraper writes to /var/data/raw.|The scraper writes to /srv/raw.|where does the scraper write
The VPN is required for SSH.|The VPN is not required for SSH.|is the vpn required for ssh
Fiona leads the data team.|The data team is led by Hamid.|who leads the data team
Images are served from Cloudinary.|Images are served from our own S3 bucket.|where are images served from
The budget for 2027 is 80,000 euros.|The budget for 2027 is 95,000 euros.|what is the budget for 2027
The user goes running in the morning.|The user goes running in the evening.|when does the user go running
Tickets are tracked in Jira.|Tickets are tracked in Linear since May.|where are tickets tracked
The session timeout is 15 minutes.|The session timeout was raised to 60 minutes.|what is the session timeout
Kafka is our message broker.|We replaced Kafka with NATS.|what is our message broker
All endpoints require authentication.|The health endpoint no longer requires authentication.|do endpoints require authentication
The weekly report is due on Thursday.|The weekly report is due on Wednesday from now on.|when is the weekly report due
The user's cat is called Milo.|The user's cat is called Otto.|what is the user's cat called
We deploy with Ansible.|We deploy with Terraform rather than Ansible.|what do we deploy with
The monorepo uses Lerna.|The monorepo uses Nx.|what does the monorepo use
项目使用 npm 管理依赖。|项目从 npm 换到了 pnpm。|项目用什么管理依赖
后端端口是 8080。|后端端口是 9090。|后端端口是多少
每周五发布新版本。|每周三发布新版本。|什么时候发布新版本
用户住在上海。|用户搬到杭州了。|用户住在哪里
产品经理是王芳。|产品经理换成了李娜。|产品经理是谁
数据库使用 MySQL。|数据库改为 PostgreSQL。|数据库用什么
禁止直接推送到主分支。|现在可以直接推送到主分支。|可以直接推送到主分支吗
日志保留 7 天。|日志保留 30 天。|日志保留多久
配置文件在 config/app.yaml。|配置文件在 conf/app.toml。|配置文件在哪里
用户喜欢喝咖啡。|用户不再喝咖啡了。|用户喝咖啡吗
用户的生日是 3 月 5 日。|用户的生日是 3 月 15 日。|用户的生日是哪天
前端用 Vue。|前端用 React 了。|前端用什么
例会在周一上午。|例会改到周二上午。|例会什么时候
测试用 unittest。|测试改用 pytest。|测试用什么
服务部署在阿里云。|服务部署在腾讯云。|服务部署在哪
注释用英文写。|注释用中文写。|注释用什么语言
陈明负责支付模块。|支付模块现在由赵磊负责。|谁负责支付模块
接口超时时间是 30 秒。|接口超时时间是 60 秒。|接口超时时间是多少
团队有 8 个人。|团队有 12 个人。|团队有多少人
合同 2027 年 6 月到期。|合同 2028 年 6 月到期。|合同什么时候到期
缩进用两个空格。|缩进用四个空格。|缩进用几个空格
用户在华为工作。|用户在小米工作。|用户在哪里工作
沟通用钉钉。|沟通用飞书，不再用钉钉。|沟通用什么
构建用 webpack。|构建从 webpack 迁到 Vite。|构建用什么
备份每天凌晨两点运行。|备份每天凌晨四点运行。|备份几点运行
用户的猫叫小白。|用户的猫叫大黄。|用户的猫叫什么
用户吃素。|用户不吃素了。|用户吃素吗
代码评审需要两人批准。|代码评审只需要一人批准。|代码评审需要几人批准
上传上限是 10 MB。|上传上限是 100 MB。|上传上限是多少
默认分支是 master。|默认分支改成 main。|默认分支是什么
女儿在实验小学上学。|女儿转到育才小学上学了。|女儿在哪里上学
服务器在北京机房。|服务器在上海机房。|服务器在哪个机房
缓存使用 Redis。|缓存不再使用 Redis，换成 Memcached。|缓存使用什么
项目用 Python 3.9。|项目用 Python 3.12。|项目用哪个 Python 版本
文档写在语雀。|文档写在飞书。|文档写在哪里
不要在周五部署。|周五可以部署了。|周五可以部署吗
演示环境密码每月更换一次。|演示环境密码每周更换一次。|演示环境密码多久更换
用户偏好深色主题。|用户偏好浅色主题。|用户偏好什么主题
主管是刘洋。|主管是孙悦。|主管是谁
会议室在三楼。|会议室在五楼。|会议室在几楼
用户开红色的大众。|用户换车了，现在开白色的特斯拉。|用户开什么车
任务用 Jira 跟踪。|任务用 Linear 跟踪。|任务用什么跟踪
年会定在 12 月 20 日。|年会定在 12 月 27 日。|年会定在哪天
客服电话是 400-100-2000。|客服电话是 400-100-3000。|客服电话是多少
单元测试覆盖率要求 80%。|单元测试覆盖率要求 90%。|覆盖率要求多少
邮件每天早上九点发送。|邮件每天早上八点发送。|邮件几点发送
Our payroll closes on the 25th of each month.|Our payroll closes on the 20th of each month.|when does payroll close
The heating in the workshop is set to 19 degrees.|The heating in the workshop is set to 21 degrees.|what is the heating in the workshop set to
Nadia is our accountant.|Our new accountant is Felix.|who is our accountant
The printer stands on the second floor.|The printer stands on the fourth floor now.|where does the printer stand
Amir teaches the beginner class.|Amir no longer teaches the beginner class.|who teaches the beginner class
The mobile app supports Android 9 and later.|The mobile app supports Android 11 and later.|which android does the mobile app support
The user's flight leaves at 7:40.|The user's flight leaves at 9:15.|when does the user's flight leave
Backups are written to the NAS.|Backups are written to Backblaze instead of the NAS.|where are backups written
Squash merges are forbidden.|Squash merges are allowed from now on.|are squash merges allowed
The queue worker has four threads.|The queue worker has eight threads.|how many threads has the queue worker
The user's son goes to Lakeside School.|The user's son goes to Hilltop School.|which school does the user's son go to
The error tracker is Sentry.|We dropped Sentry and use Rollbar.|what is the error tracker
Customers get a refund within 14 days.|Customers get a refund within 30 days.|within how many days do customers get a refund
The user takes the train to work.|The user takes the bike to work now.|how does the user get to work
The search index is rebuilt every night.|The search index is rebuilt every hour.|how often is the search index rebuilt
Translations are managed in Crowdin.|Translations are managed in Weblate.|where are translations managed
Type hints are optional in this repository.|Type hints are required in this repository.|are type hints required
The design files are in Sketch.|The design files have moved to Figma.|where are the design files
The conference is in Lisbon.|The conference is in Porto this year.|where is the conference
Lars is on call this week.|Miriam is on call this week.|who is on call this week
The maximum password length is 64.|The maximum password length is 128.|what is the maximum password length
The user doesn't eat fish.|The user eats fish again.|does the user eat fish
The CDN is Fastly.|We switched the CDN to Cloudflare.|what is our cdn
Error messages are shown in red.|Error messages are shown in orange.|in which colour are error messages
The parser is written in C.|The parser has been rewritten in Rust.|in which language is the parser written
The gym opens at 6.|The gym opens at 7.|when does the gym open
Do not call the client before 10.|You may call the client before 10.|may I call the client before 10
The user uses Firefox.|The user uses Safari.|which browser does the user use
The base image is debian:11.|The base image is debian:12.|what is the base image
The domain is registered at GoDaddy.|The domain is registered at Namecheap.|where is the domain registered
The rent is 950 euros.|The rent is 1,020 euros.|how much is the rent
The mascot is named Pixel.|The mascot is named Byte.|what is the mascot named
Each module has its own README.|Modules no longer have their own README.|does each module have a readme
Greta approves expenses.|Expenses are approved by Wim now.|who approves expenses
The lab is locked on weekends.|The lab is unlocked on weekends.|is the lab locked on weekends
Cookies expire after 24 hours.|Cookies expire after 12 hours.|when do cookies expire
The user's doctor is Dr. Weiss.|The user's doctor is Dr. Kohl.|who is the user's doctor
Metrics are scraped every 15 seconds.|Metrics are scraped every 60 seconds.|how often are metrics scraped
The team lunch is on Thursdays.|The team lunch is on Tuesdays instead.|when is the team lunch
The SDK is published to npm.|The SDK is published to JSR.|where is the sdk published
GraphQL introspection is on in production.|GraphQL introspection is off in production.|is graphql introspection on in production
The user studies biology.|The user switched from biology to chemistry.|what does the user study
The fallback font is Arial.|The fallback font is Helvetica.|what is the fallback font
The meeting room is named Everest.|The meeting room was renamed from Everest to Matterhorn.|what is the meeting room named
Dependencies are updated monthly.|Dependencies are updated weekly.|how often are dependencies updated
The trial lasts 14 days.|The trial lasts 30 days.|how long does the trial last
We keep screenshots in the repo.|We don't keep screenshots in the repo any more.|do we keep screenshots in the repo
The user's laptop runs Ubuntu.|The user's laptop runs Fedora.|what does the user's laptop run
The warehouse is in Rotterdam.|The warehouse moved from Rotterdam to Antwerp.|where is the warehouse
Shipping is free above 50 euros.|Shipping is free above 75 euros.|above what is shipping free
Comments use British spelling.|Comments use American spelling.|which spelling do comments use
Tests must not touch the network.|Tests may touch the network.|may tests touch the network
The user plays tennis on Sundays.|The user plays tennis on Saturdays.|when does the user play tennis
The manual is written in AsciiDoc.|The manual is written in Markdown.|what is the manual written in
The proxy listens on 127.0.0.1:8000.|The proxy listens on 127.0.0.1:8443.|where does the proxy listen
The intern reports to Paula.|The intern reports to Stefan.|to whom does the intern report
Our main customer is Nordwind.|Our main customer is Helios now.|who is our main customer
The admin page is at /admin.|The admin page is at /backstage.|where is the admin page
The vault code has six digits.|The vault code has eight digits.|how many digits has the vault code
Analytics are collected with Matomo.|Analytics are collected with Plausible.|what collects analytics
The linter is flake8.|We replaced flake8 with ruff.|what is the linter
User names are case sensitive.|User names are not case sensitive.|are user names case sensitive
The user's wife is called Elena.|The user's wife is called Marina.|what is the user's wife called
The hackathon starts on 3 March.|The hackathon starts on 10 March.|when does the hackathon start
Docker images are pushed to Docker Hub.|Docker images are pushed to GHCR.|where are docker images pushed
The default language is French.|The default language is English.|what is the default language
Deploys happen at noon.|Deploys happen at midnight.|when do deploys happen
The session store is Memcached.|The session store is Redis.|what is the session store
The user reads on a Kindle.|The user no longer reads on a Kindle.|does the user read on a kindle
Our VAT rate is 19 percent.|Our VAT rate is 20 percent.|what is our vat rate
工资每月 25 日发放。|工资每月 20 日发放。|工资哪天发放
打印机在二楼。|打印机搬到四楼了。|打印机在几楼
会计是周敏。|会计换成了吴强。|会计是谁
用户坐地铁上班。|用户现在骑车上班。|用户怎么上班
搜索索引每晚重建。|搜索索引每小时重建。|搜索索引多久重建
翻译放在 Crowdin。|翻译放在 Weblate。|翻译放在哪里
错误监控用 Sentry。|错误监控不用 Sentry 了，改用 Rollbar。|错误监控用什么
退款期限是 14 天。|退款期限是 30 天。|退款期限是多少天
必须写类型标注。|不必写类型标注。|要写类型标注吗
设计稿在 Sketch。|设计稿迁到 Figma。|设计稿在哪里
大会在成都举办。|大会在武汉举办。|大会在哪里举办
本周值班的是老张。|本周值班的是老李。|本周谁值班
密码最长 64 位。|密码最长 128 位。|密码最长多少位
用户不吃鱼。|用户又开始吃鱼了。|用户吃鱼吗
房租每月 3500 元。|房租每月 4200 元。|房租每月多少
用户用 Firefox 浏览器。|用户用 Safari 浏览器。|用户用什么浏览器
域名在阿里云注册。|域名在腾讯云注册。|域名在哪里注册
吉祥物叫小光。|吉祥物叫豆豆。|吉祥物叫什么
报销由陈姐审批。|报销由林哥审批。|报销由谁审批
实验室周末上锁。|实验室周末不上锁。|实验室周末上锁吗
指标每 15 秒采集一次。|指标每 60 秒采集一次。|指标多久采集一次
聚餐在周四。|聚餐改到周二。|聚餐在哪天
试用期是三个月。|试用期是六个月。|试用期多久
用户的笔记本装的是 Ubuntu。|用户的笔记本装的是 Fedora。|用户的笔记本装的是什么
仓库在苏州。|仓库从苏州搬到无锡。|仓库在哪里
满 50 元包邮。|满 99 元包邮。|满多少元包邮
测试不能访问网络。|测试可以访问网络。|测试可以访问网络吗
用户周日打网球。|用户周六打网球。|用户哪天打网球
管理页面在 /admin。|管理页面在 /backstage。|管理页面在哪里
主要客户是北风公司。|主要客户是南风公司。|主要客户是谁
用户名区分大小写。|用户名不区分大小写。|用户名区分大小写吗
用户的妻子叫李静。|用户的妻子叫王静。|用户的妻子叫什么
黑客松 3 月 3 日开始。|黑客松 3 月 10 日开始。|黑客松什么时候开始
镜像推送到 Docker Hub。|镜像推送到 GHCR。|镜像推送到哪里
默认语言是法语。|默认语言是英语。|默认语言是什么
会话存在 Memcached。|会话存在 Redis。|会话存在哪里
增值税率是 13%。|增值税率是 9%。|增值税率是多少
用户在读博士。|用户博士毕业了。|用户在读博士吗
基础镜像是 debian:11。|基础镜像是 debian:12。|基础镜像是什么
代码检查用 flake8。|flake8 已经被 ruff 取代。|代码检查用什么
司机是老赵。|司机现在是小孙。|司机是谁
健身房六点开门。|健身房七点开门。|健身房几点开门
会员价是 88 折。|会员价是 95 折。|会员价是多少
备用字体是宋体。|备用字体是黑体。|备用字体是什么
合并前必须变基。|合并前不再需要变基。|合并前要变基吗
The courier comes at 11.|The courier comes at 15 now.|when does the courier come
Our pension provider is Allianz.|Our pension provider is AXA.|who is our pension provider
The readme is written in English.|The readme is written in Polish.|in which language is the readme
The beta ends on 30 September.|The beta ends on 15 October.|when does the beta end
Nightly builds are uploaded to S3.|Nightly builds are uploaded to Azure Blob instead of S3.|where are nightly builds uploaded
Helga runs the helpdesk.|Viktor runs the helpdesk.|who runs the helpdesk
The user drives a Skoda.|The user sold the Skoda and drives a Kia.|what does the user drive
Coupons are valid for 6 months.|Coupons are valid for 12 months.|how long are coupons valid
No one may edit the schema by hand.|Editing the schema by hand is allowed now.|may I edit the schema by hand
Unit tests live next to the code.|Unit tests live in tests/ now.|where do unit tests live
The canteen serves lunch until 14:00.|The canteen serves lunch until 13:30.|until when does the canteen serve lunch
The data lake is on Snowflake.|The data lake was moved from Snowflake to BigQuery.|where is the data lake
The user learns Italian.|The user gave up Italian and learns Greek.|what does the user learn
The staging password is changed every 90 days.|The staging password is changed every 30 days.|how often is the staging password changed
Errors are returned as plain text.|Errors are returned as problem+json.|how are errors returned
The CLI is called lamp.|The CLI is called torch.|what is the cli called
The keynote speaker is Ada Holt.|The keynote speaker is Ben Frost.|who is the keynote speaker
Telemetry is opt-in.|Telemetry is opt-out.|is telemetry opt-in
We require signed commits.|We no longer require signed commits.|do we require signed commits
The user's desk is on floor 3.|The user's desk is on floor 6.|where is the user's desk
The minimum order is 20 pieces.|The minimum order is 50 pieces.|what is the minimum order
The parcels are shipped with DHL.|The parcels are shipped with UPS.|with whom are parcels shipped
Our slogan is Light for all.|Our slogan is Warm by design.|what is our slogan
The archive is read-only.|The archive is writable again.|is the archive read-only
The user has two children.|The user has three children.|how many children has the user
The form uses Formik.|The form uses React Hook Form instead of Formik.|what does the form use
Standup is in the kitchen.|Standup is in the lounge from now on.|where is standup
Merge requests are assigned to Uwe.|Merge requests are assigned to Iris.|to whom are merge requests assigned
The legal review takes 5 days.|The legal review takes 10 days.|how long does the legal review take
The user supports Arsenal.|The user supports Chelsea.|whom does the user support
快递上午十一点来。|快递下午三点来。|快递几点来
养老金由平安管理。|养老金由太平管理。|养老金由谁管理
说明文档是英文的。|说明文档是中文的。|说明文档是什么语言
内测九月三十日结束。|内测十月十五日结束。|内测哪天结束
每夜构建传到 OSS。|每夜构建改传到 COS。|每夜构建传到哪里
海伦负责客服。|维克多负责客服。|谁负责客服
用户开斯柯达。|用户卖了斯柯达，改开起亚。|用户开什么车
优惠券有效期六个月。|优惠券有效期十二个月。|优惠券有效期多久
不许手工改表结构。|现在允许手工改表结构。|允许手工改表结构吗
单元测试放在代码旁边。|单元测试放在 tests 目录。|单元测试放在哪里
食堂午饭供应到两点。|食堂午饭供应到一点半。|食堂午饭供应到几点
数据湖在 Snowflake 上。|数据湖从 Snowflake 迁到了 BigQuery。|数据湖在哪里
用户在学意大利语。|用户不学意大利语了，改学希腊语。|用户在学什么语言
命令行叫 lamp。|命令行叫 torch。|命令行叫什么
主讲人是艾达。|主讲人是本杰明。|主讲人是谁
提交必须签名。|提交不用再签名了。|提交必须签名吗
用户的工位在三层。|用户的工位在六层。|用户的工位在几层
最低起订量是 20 件。|最低起订量是 50 件。|最低起订量是多少
包裹用顺丰寄。|包裹用京东寄。|包裹用什么寄
归档是只读的。|归档又可以写了。|归档是只读的吗
用户有两个孩子。|用户有三个孩子。|用户有几个孩子
站会在厨房开。|以后站会在休息室开。|站会在哪里开
合并请求分给老吴。|合并请求分给小艾。|合并请求分给谁
法务审核要五天。|法务审核要十天。|法务审核要几天
用户支持申花队。|用户支持国安队。|用户支持哪个队
The bakery opens at 5:30.|The bakery opens at 6:00.|when does the bakery open
Our insurer is Helvetia.|Our insurer is Zurich now.|who is our insurer
The pipeline is written in Groovy.|The pipeline is written in YAML.|what is the pipeline written in
The lease runs until 2029.|The lease runs until 2031.|until when does the lease run
Photos are stored on the Synology.|Photos are stored in Backblaze.|where are photos stored
Irene leads the search team.|Marco leads the search team.|who leads the search team
Never edit generated files.|Generated files may be edited.|may generated files be edited
The user prefers aisle seats.|The user prefers window seats now.|which seat does the user prefer
The API returns XML.|The API returns JSON.|what does the API return
The warranty is two years.|The warranty is five years.|how long is the warranty
We moved the wiki from Confluence to Notion.|We moved the wiki from Notion to Outline.|where is the wiki
The gateway runs on port 7000.|The gateway runs on port 7443.|on which port does the gateway run
The user's brother is called Sam.|The user's brother is called Leo.|what is the user's brother called
Tickets are closed after 14 days.|Tickets are closed after 21 days.|when are tickets closed
Debug logging is disabled.|Debug logging is enabled.|is debug logging enabled
The choir meets on Wednesdays.|The choir meets on Mondays.|when does the choir meet
We use Cypress for end-to-end tests.|We replaced Cypress with Playwright.|what do we use for end-to-end tests
The user does not drink alcohol.|The user drinks alcohol again.|does the user drink alcohol
The audit is in May.|The audit is in September.|when is the audit
The key account is Volvo.|The key account is Scania.|who is the key account
Support tickets go to Zendesk.|Support tickets go to Freshdesk.|where do support tickets go
The mobile app is built with Flutter.|The mobile app is built with React Native.|what is the mobile app built with
The user works for Nokia.|The user works for Ericsson.|for whom does the user work
Two-factor login is optional.|Two-factor login is mandatory.|is two-factor login mandatory
The cleaner comes twice a week.|The cleaner comes once a week.|how often does the cleaner come
面包店五点半开门。|面包店六点开门。|面包店几点开门
保险公司是人保。|保险公司换成太保了。|保险公司是哪家
流水线用 Groovy 写。|流水线用 YAML 写。|流水线用什么写
租约到 2029 年。|租约到 2031 年。|租约到哪年
照片存在群晖上。|照片存在云盘上。|照片存在哪里
艾琳负责搜索组。|马可负责搜索组。|谁负责搜索组
不要修改生成的文件。|生成的文件可以修改了。|生成的文件可以修改吗
用户喜欢靠过道的座位。|用户现在喜欢靠窗的座位。|用户喜欢什么座位
接口返回 XML。|接口返回 JSON。|接口返回什么
保修期是两年。|保修期是五年。|保修期多久
知识库从 Confluence 搬到了 Notion。|知识库从 Notion 搬到了语雀。|知识库在哪里
网关跑在 7000 端口。|网关跑在 7443 端口。|网关跑在哪个端口
用户的弟弟叫小军。|用户的弟弟叫小磊。|用户的弟弟叫什么
工单 14 天后关闭。|工单 21 天后关闭。|工单几天后关闭
调试日志是关闭的。|调试日志是开启的。|调试日志开启了吗
合唱团周三排练。|合唱团周一排练。|合唱团哪天排练
端到端测试用 Cypress。|端到端测试用 Playwright 取代了 Cypress。|端到端测试用什么
用户不喝酒。|用户开始喝酒了。|用户喝酒吗
审计在五月。|审计在九月。|审计在几月
客服工单走 Zendesk。|客服工单走 Freshdesk。|客服工单走哪里
""".splitlines()
)

HARMLESS = tuple(
    tuple(line.split("|"))
    for line in """\
The nightly backup runs at 2 am.|The weekly backup runs at 4 am on Sundays.
Anna's birthday is on 12 May.|Peter's birthday is on 14 May.
The API listens on port 8080.|The admin API listens on port 8081.
The frontend tests run with Jest.|The backend tests run with pytest.
Marta is the product owner.|Marta is the product owner of the mobile app too.
The staging server is in Frankfurt.|The production server is in Dublin.
The user likes tea.|The user likes coffee too.
The user's sister lives in Oslo.|The user's brother lives in Bergen.
The config of the worker lives in worker.yaml.|The config of the scheduler lives in scheduler.yaml.
Logs of the gateway are kept for 7 days.|Logs of the billing service are kept for 90 days.
The project uses Python 3.12.|The project uses ruff for linting.
The team standup is at 9:30.|The design standup is at 10:15.
We use Redis for caching.|We use Postgres for storage.
Never commit secrets to the repository.|Never commit large binaries to the repository.
Pull requests need two approvals.|Pull requests need a linked ticket.
The user works at Siemens.|The user works from home on Fridays.
The user is allergic to peanuts.|The user is allergic to shellfish as well.
Berlin has 40 employees.|Munich has 55 employees.
Issue 12 is about slow search.|Issue 14 is about slow startup.
Invoice 1001 was paid.|Invoice 1002 was paid.
Step 1 builds the image.|Step 2 pushes the image.
The login page is in login.tsx.|The profile page is in profile.tsx.
Dark mode is on in the editor.|Dark mode is off in the browser.
The user speaks Spanish.|The user speaks Portuguese.
The library is MIT licensed.|The library has no dependencies.
The release notes are written by Jonas.|The release notes are in CHANGELOG.md.
The demo is on Wednesday.|The demo is for the Acme team.
On Monday the build was red.|On Tuesday the build was green.
In March revenue was 12,000 euros.|In April revenue was 15,000 euros.
The iOS app is at version 4.2.|The Android app is at version 4.1.
Table users has 12 columns.|Table orders has 18 columns.
The user's car is a Golf.|The user's bike is a Brompton.
The retry limit of the mailer is 3.|The retry limit of the importer is 5.
Tests for the parser are in tests/parser.|Tests for the printer are in tests/printer.
Room 3 has a projector.|Room 4 has a whiteboard.
The morning shift is Tom's.|The evening shift is Sarah's.
Fiona leads the data team.|Hamid leads the platform team.
Do not restart the database during the day.|Do not restart the queue during the day.
The EU region uses eu-west-1.|The US region uses us-east-1.
The user prefers short answers.|The user prefers answers in English.
The user prefers tabs.|The user prefers tabs for Go because gofmt does so.
We deploy on Fridays.|We deploy on Fridays after the tests are green.
The API returns JSON.|The API returns JSON with snake_case keys.
Caching is enabled in production.|Caching is enabled in production, with a TTL of 60 s.
Kim plays the piano.|Kim's daughter plays the violin.
The primary key is a UUID.|The foreign key is an integer.
Headers are blue.|Footers are grey.
The flight to Rome is on 3 June.|The flight back from Rome is on 10 June.
Max length of a title is 80.|Max length of a description is 500.
The dev database is on port 5432.|The dev cache is on port 6379.
Chapter 2 explains the fold.|Chapter 3 explains the cache.
The first meeting is on Monday.|The second meeting is on Thursday.
Unit tests take 2 minutes.|Integration tests take 12 minutes.
Server alpha has 16 GB of memory.|Server beta has 32 GB of memory.
The old office was in Graz.|The archive is in Vienna.
Ole reviews the Rust code.|Ines reviews the Python code.
The linter runs before each commit.|The formatter runs before each commit.
Plan Basic costs 10 euros.|Plan Pro costs 25 euros.
The user met Clara in 2019.|The user met Boris in 2021.
The parser does not support comments.|The writer supports comments.
Users can delete their account.|Users can export their data.
The team likes Slack huddles.|The team uses Zoom for clients.
Alerts for disk space go to #ops.|Alerts for payments go to #billing.
Mondays are for planning.|Fridays are for demos.
The Postgres password rotates monthly.|The Redis password rotates weekly.
Feature A is behind a flag.|Feature B is not behind a flag.
The user reads science fiction.|The user reads the news in the morning.
The mobile team uses Kotlin.|The mobile team uses Swift for iOS.
Errors are logged at level error.|Warnings are logged at level warn.
The cron job of reports runs at 6.|The cron job of cleanup runs at 7.
用户的姐姐住在上海。|用户的弟弟住在杭州。
后端端口是 8080。|前端端口是 3000。
生产环境在北京机房。|测试环境在上海机房。
用户喜欢喝咖啡。|用户也喜欢喝茶。
王芳是产品经理。|李娜是设计师。
日志保留 7 天。|备份保留 30 天。
前端用 Vue。|后端用 Go。
例会在周一上午。|评审会在周二上午。
用户会说英语。|用户会说日语。
数据库使用 MySQL。|缓存使用 Redis。
登录页在 login.vue。|注册页在 register.vue。
陈明负责支付模块。|赵磊负责订单模块。
一号服务器内存 16 GB。|二号服务器内存 32 GB。
妈妈的生日是 3 月 5 日。|爸爸的生日是 8 月 15 日。
单元测试要两分钟。|集成测试要十分钟。
不要提交密钥。|不要提交大文件。
周一的构建失败了。|周二的构建成功了。
三月收入 12 万。|四月收入 15 万。
基础版每月 10 元。|专业版每月 25 元。
用户对花生过敏。|用户对虾也过敏。
安卓版是 4.1。|苹果版是 4.2。
第一章讲存储。|第二章讲检索。
用户在华为工作。|用户周五在家工作。
代码评审需要两人批准。|代码评审要在一天内完成。
标题最长 80 字。|描述最长 500 字。
接口返回 JSON。|接口返回 JSON，字段用下划线。
小明在读小学。|小红在读初中。
每周五发布。|每周五测试通过后发布。
用户养了一只猫。|用户的猫叫小白。
会议室在三楼。|食堂在一楼。
早班是小王。|晚班是小李。
解析器不支持注释。|生成器支持注释。
欧洲区用法兰克福。|美国区用弗吉尼亚。
订单表有 18 列。|用户表有 12 列。
用户的车是大众。|用户的自行车是美利达。
邮件服务重试 3 次。|导入服务重试 5 次。
功能甲已上线。|功能乙还没上线。
文档写在语雀。|文档用中文写。
去程航班 6 月 3 日。|返程航班 6 月 10 日。
告警发到运维群。|账单发到财务群。
The user's phone is an iPhone.|The user's phone is charged overnight.
Backups are encrypted.|Backups are stored for a year.
The logo is green.|The logo file is assets/logo.svg.
We meet at the cafe on Main Street.|We meet every second Thursday.
Vendor X bills monthly.|Vendor Y bills yearly.
The intern starts on 1 July.|The designer starts on 1 August.
Errors in the importer are retried.|Errors in the exporter are not retried.
The guide is for beginners.|The reference is for experts.
Our payroll closes on the 25th of each month.|Our books close on the 31st of December.
The heating in the workshop is set to 19 degrees.|The heating in the office is set to 21 degrees.
Nadia is our accountant.|Felix is our lawyer.
The printer stands on the second floor.|The scanner stands on the fourth floor.
Amir teaches the beginner class.|Amir teaches the advanced class.
The mobile app supports Android 9 and later.|The mobile app supports iOS 15 and later.
The user's flight to Rome leaves at 7:40.|The user's flight to Paris leaves at 9:15.
Backups of the database are written to the NAS.|Backups of the files are written to Backblaze.
Squash merges are forbidden.|Merge commits are allowed.
The queue worker has four threads.|The mail worker has eight threads.
The user's son goes to Lakeside School.|The user's daughter goes to Hilltop School.
Ticket 311 is closed.|Ticket 312 is open.
Customers get a refund within 14 days.|Customers get a reply within 2 days.
The user takes the train to work.|The user takes the bike to the lake.
The search index is rebuilt every night.|The sitemap is rebuilt every hour.
Translations are managed in Crowdin.|Translations are managed in Crowdin by Lena.
Type hints are optional in tests.|Type hints are required in the package.
The design files are in Figma.|The design files are reviewed by Otto.
The spring conference is in Lisbon.|The autumn conference is in Porto.
Lars is on call this week.|Miriam is on call next week.
The maximum password length is 64.|The minimum password length is 12.
The user doesn't eat fish.|The user doesn't eat meat either.
The CDN is Fastly.|The CDN costs 200 euros a month.
Error messages are shown in red.|Warnings are shown in orange.
The parser is written in C.|The bindings are written in Rust.
The gym opens at 6.|The pool opens at 7.
Do not call the client before 10.|Do not call the supplier before 10.
The user uses Firefox.|The user uses a Mac.
The base image of api is debian:11.|The base image of web is debian:12.
The domain is registered at GoDaddy.|The domain is renewed in May.
The rent of the flat is 950 euros.|The rent of the garage is 90 euros.
The mascot is named Pixel.|The mascot is drawn by Pia.
Each module has its own README.|Each package has its own changelog.
Greta approves expenses.|Greta approves holidays.
The lab is locked on weekends.|The lab is cleaned on weekends.
Cookies expire after 24 hours.|Tokens expire after 12 hours.
The user's doctor is Dr. Weiss.|The user's dentist is Dr. Kohl.
CPU metrics are scraped every 15 seconds.|Disk metrics are scraped every 60 seconds.
The team lunch is on Thursdays.|The team walk is on Tuesdays.
The Python SDK is published to PyPI.|The JavaScript SDK is published to npm.
GraphQL introspection is on in staging.|GraphQL introspection is off in production.
The user studies biology.|The user studies in Vienna.
The heading font is Arial.|The body font is Helvetica.
Everest is a meeting room.|Matterhorn is a meeting room.
The trial lasts 14 days.|The trial needs no credit card.
We keep screenshots in the repo.|We don't keep videos in the repo.
The user's laptop runs Ubuntu.|The user's server runs Fedora.
The warehouse is in Rotterdam.|The shop is in Antwerp.
Shipping to Germany is free above 50 euros.|Shipping to France is free above 75 euros.
Comments use British spelling.|Comments use full sentences.
Unit tests must not touch the network.|End-to-end tests may touch the network.
The user plays tennis on Sundays.|The user plays chess on Saturdays.
The manual is written in AsciiDoc.|The manual is written by Jo.
The proxy listens on port 8000.|The proxy logs to syslog.
The intern reports to Paula.|The intern reports on Fridays.
The admin page is at /admin.|The status page is at /status.
The vault code has six digits.|The alarm code has eight digits.
Web analytics are collected with Plausible.|App analytics are collected with Firebase.
Version 2.1 fixed the login.|Version 2.2 fixed the logout.
User names are case sensitive.|Email addresses are not case sensitive.
The user's wife is called Elena.|The user's mother is called Marina.
The hackathon starts on 3 March.|The hackathon ends on 5 March.
In 2024 we had 12 customers.|In 2025 we had 19 customers.
The default language is French.|The default currency is the euro.
Deploys to staging happen at noon.|Deploys to production happen at midnight.
The user reads on a Kindle.|The user no longer reads newspapers.
The VAT rate for books is 7 percent.|The VAT rate for toys is 19 percent.
Milestone 3 is due in June.|Milestone 4 is due in August.
The red cable is for power.|The blue cable is for data.
Kai likes jazz.|Kai likes hiking.
工资每月 25 日发放。|奖金每年 12 月发放。
打印机在二楼。|咖啡机在四楼。
会计是周敏。|律师是吴强。
用户坐地铁上班。|用户骑车去健身房。
搜索索引每晚重建。|站点地图每小时重建。
翻译放在 Crowdin。|设计放在 Figma。
前端错误监控用 Sentry。|后端错误监控用 Rollbar。
退款期限是 14 天。|退货期限是 30 天。
新代码必须写类型标注。|旧代码不必写类型标注。
春季大会在成都举办。|秋季大会在武汉举办。
本周值班的是老张。|下周值班的是老李。
密码最长 64 位。|密码最短 12 位。
用户不吃鱼。|用户不吃辣。
公寓房租每月 3500 元。|车位租金每月 400 元。
用户用 Firefox 浏览器。|用户用苹果电脑。
域名在阿里云注册。|域名在五月续费。
吉祥物叫小光。|小狗叫豆豆。
报销由陈姐审批。|请假由林哥审批。
实验室周末上锁。|仓库周末不上锁。
处理器指标每 15 秒采集一次。|磁盘指标每 60 秒采集一次。
聚餐在周四。|爬山在周二。
用户的笔记本装的是 Ubuntu。|用户的服务器装的是 Fedora。
仓库在苏州。|门店在无锡。
满 50 元包邮。|满 99 元送礼品。
单元测试不能访问网络。|端到端测试可以访问网络。
用户周日打网球。|用户周六下棋。
管理页面在 /admin。|状态页面在 /status。
主要客户是北风公司。|主要供应商是南风公司。
用户名区分大小写。|邮箱不区分大小写。
用户的妻子叫李静。|用户的妹妹叫王静。
黑客松 3 月 3 日开始。|黑客松 3 月 5 日结束。
默认语言是法语。|默认货币是欧元。
图书税率是 9%。|玩具税率是 13%。
用户在读博士。|用户的弟弟在读本科。
司机是老赵。|厨师是小孙。
健身房六点开门。|游泳馆七点开门。
会员价是 88 折。|会员价周末有效。
标题字体是宋体。|正文字体是黑体。
合并前必须变基。|发布前不需要变基。
里程碑三在六月到期。|里程碑四在八月到期。
红线接电源。|蓝线接数据。
用户喜欢爵士乐。|用户喜欢爬山。
第 12 号工单已关闭。|第 13 号工单还开着。
The user's email signature is short.|The user's email client is Thunderbird.
Standup notes are in Notion.|Standup notes are written by whoever is last.
The A team sits in Graz.|The B team sits in Linz.
Uploads are scanned for viruses.|Uploads are limited to 20 MB.
The courier comes at 11.|The cleaner comes at 15.
Our pension provider is Allianz.|Our phone provider is Vodafone.
The readme is written in English.|The readme is written for beginners.
The beta ends on 30 September.|The beta starts on 1 September.
Nightly builds are uploaded to S3.|Release builds are uploaded to GitHub.
Helga runs the helpdesk.|Viktor runs the warehouse.
The user drives a Skoda.|The user drives to work at 8.
Coupons are valid for 6 months.|Gift cards are valid for 3 years.
No one may edit the schema by hand.|No one may edit the changelog by hand.
Unit tests live next to the code.|Benchmarks live in bench/.
The canteen serves lunch until 14:00.|The bar serves coffee until 17:30.
The data lake is on Snowflake.|The data lake is owned by the BI team.
The user learns Italian.|The user learns the guitar too.
The staging password is changed every 90 days.|The root password is changed every 30 days.
Errors are returned as problem+json.|Errors are logged at level error.
The CLI is called lamp.|The server is called torch.
The keynote speaker is Ada Holt.|The panel host is Ben Frost.
Telemetry is opt-in.|Telemetry is sent once a day.
We require signed commits.|We require two reviewers.
The user's desk is on floor 3.|The user's locker is on floor 6.
The minimum order is 20 pieces.|The maximum order is 50 pieces.
The parcels are shipped with DHL.|The pallets are shipped with UPS.
The archive is read-only.|The archive is in Graz.
The user has two children.|The user has three cats.
The form uses Formik.|The table uses TanStack.
Standup is in the kitchen.|Standup is at ten.
Merge requests of the app are assigned to Uwe.|Merge requests of the site are assigned to Iris.
The legal review takes 5 days.|The security review takes 10 days.
The user supports Arsenal.|The user's brother supports Chelsea.
Task 41 is done.|Task 42 is not done.
In Q1 we hired 4 people.|In Q2 we hired 7 people.
The left sensor reads 20 degrees.|The right sensor reads 22 degrees.
The small box costs 4 euros.|The large box costs 9 euros.
快递上午十一点来。|保洁下午三点来。
养老金由平安管理。|车险由太平管理。
说明文档是英文的。|说明文档是给新手看的。
内测九月三十日结束。|公测十月十五日结束。
每夜构建传到 OSS。|正式构建传到 GitHub。
海伦负责客服。|维克多负责仓库。
用户开斯柯达。|用户八点开车上班。
优惠券有效期六个月。|礼品卡有效期三年。
不许手工改表结构。|不许手工改更新日志。
单元测试放在代码旁边。|性能测试放在 bench 目录。
食堂午饭供应到两点。|食堂晚饭供应到七点。
数据湖在 Snowflake 上。|数据湖由分析组管理。
用户在学意大利语。|用户也在学吉他。
命令行叫 lamp。|服务端叫 torch。
主讲人是艾达。|主持人是本杰明。
提交必须签名。|提交必须关联工单。
用户的工位在三层。|用户的储物柜在六层。
最低起订量是 20 件。|最高起订量是 50 件。
包裹用顺丰寄。|文件用邮政寄。
归档是只读的。|归档在苏州。
用户有两个孩子。|用户有三只猫。
站会在厨房开。|站会十点开。
法务审核要五天。|安全审核要十天。
用户支持申花队。|用户的弟弟支持国安队。
第 41 号任务完成了。|第 42 号任务没完成。
左边的传感器是 20 度。|右边的传感器是 22 度。
小盒 4 元。|大盒 9 元。
The bakery opens at 5:30.|The butcher opens at 7:00.
Our insurer is Helvetia.|Our bank is Raiffeisen.
The pipeline is written in Groovy.|The scripts are written in Bash.
The lease runs until 2029.|The loan runs until 2035.
Photos are stored on the Synology.|Videos are stored on the Qnap.
Irene leads the search team.|Irene leads the hiring panel.
Never edit generated files.|Never edit vendored files.
The user prefers aisle seats.|The user prefers night trains.
The API returns JSON.|The API requires a token.
The warranty is two years.|The warranty is handled by Lena.
The gateway runs on port 7000.|The dashboard runs on port 7001.
The user's brother is called Sam.|The user's dog is called Leo.
Tickets are closed after 14 days.|Branches are deleted after 21 days.
Debug logging is disabled in production.|Debug logging is enabled in staging.
The choir meets on Wednesdays.|The choir sings on Sundays.
We use Cypress for end-to-end tests.|We use Vitest for unit tests.
The user does not drink alcohol.|The user does not smoke.
The audit is in May.|The fair is in September.
Support tickets go to Zendesk.|Sales leads go to HubSpot.
The mobile app is built with Flutter.|The website is built with Astro.
The user works for Nokia.|The user's wife works for Ericsson.
Two-factor login is optional for guests.|Two-factor login is required for admins.
The cleaner comes twice a week.|The gardener comes once a week.
Phase 1 ends in May.|Phase 2 ends in July.
Sensor 7 is broken.|Sensor 8 is fine.
The red team won 3 matches.|The blue team won 5 matches.
Paper size is A4.|Paper weight is 90 g.
The German site uses euros.|The Swiss site uses francs.
Tom plays chess.|Tom plays chess on Tuesdays with Ann.
The repository has a wiki.|The repository has a changelog.
面包店五点半开门。|肉店七点开门。
保险公司是人保。|开户银行是招行。
流水线用 Groovy 写。|脚本用 Bash 写。
租约到 2029 年。|贷款到 2035 年。
照片存在群晖上。|视频存在硬盘里。
艾琳负责搜索组。|艾琳负责招聘。
不要修改生成的文件。|不要修改第三方文件。
用户喜欢靠过道的座位。|用户喜欢夜车。
接口返回 JSON。|接口需要令牌。
保修期是两年。|退货期是七天。
网关跑在 7000 端口。|面板跑在 7001 端口。
用户的弟弟叫小军。|用户的狗叫小磊。
工单 14 天后关闭。|分支 21 天后删除。
生产环境关闭调试日志。|测试环境开启调试日志。
合唱团周三排练。|合唱团周日演出。
端到端测试用 Cypress。|单元测试用 Vitest。
用户不喝酒。|用户不抽烟。
审计在五月。|展会在九月。
客服工单走 Zendesk。|销售线索走 HubSpot。
第一阶段五月结束。|第二阶段七月结束。
七号传感器坏了。|八号传感器正常。
红队赢了三场。|蓝队赢了五场。
纸张是 A4 的。|墨水是黑色的。
德国站用欧元。|瑞士站用法郎。
小汤下象棋。|小汤周二和小安下象棋。
""".splitlines()
)
