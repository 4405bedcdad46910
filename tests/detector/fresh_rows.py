"""Another table, written from the providers' pages and from daily life by who had not seen the forms nor the first one.

`<A20>` stands for 20 drawn letters and digits, so that no key that could be anybody's lies here: A letters and digits, l
lower case and digits, u upper case and digits, h hex, d digits, b base64 for addresses, p a password, 5 base58.
"""

import random
import re

_ALPHABETS = {
    "A": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "l": "abcdefghijklmnopqrstuvwxyz0123456789",
    "u": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "h": "0123456789abcdef",
    "d": "0123456789",
    "b": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    "p": "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789!%*+@",
    "5": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
}


def drawn(rows: str) -> list[str]:
    """The lines of a table with the same drawn values each time."""
    chance = random.Random(20261122)

    def value(match: re.Match[str]) -> str:
        return "".join(chance.choice(_ALPHABETS[match[1]]) for _ in range(int(match[2])))

    lines = [line.replace("\\n", "\n") for line in rows.strip().split("\n")]
    return [re.sub(r"<([Aluhdbp5])(\d+)>", value, line) for line in lines]


CREDENTIALS = drawn(r"""
gitlab runner token for the new box is glrt-<b20>
CI deploys with gldt-<b20>
the feature flag client uses glffct-<b20>
the github app installation token ghs_<A36> expires in an hour
refresh it with ghr_<A36>
bitbucket app password ATBB<A28><u8>
jira: me@example.org with ATATT3xFfGF0<b170>=<u8>
discord bot: MTE<A23>.G<A5>.<b38>
the alerts go to https://discord.com/api/webhooks/<d19>/<b68>
telegram bot <d10>:AA<b33>
teams posts to https://contoso.webhook.office.com/webhookb2/<h8>-<h4>-<h4>-<h4>-<h12>@<h8>-<h4>-<h4>-<h4>-<h12>/IncomingWebhook/<h32>/<h8>-<h4>-<h4>-<h4>-<h12>
slack app level token xapp-1-A<u10>-<d13>-<h64>
slack config refresh xoxe-1-<A146>
stripe restricted key rk_live_<A24>
webhook signing secret whsec_<A32>
square access token EAAA<b60>
square oauth secret sq0csp-<b43>
google refresh token 1//0<b100>
ya29.a0<b160> is what the playground gave me
firebase server key AAAA<b7>:APA91b<b134>
azure storage DefaultEndpointsProtocol=https;AccountName=data;AccountKey=<A86>==;EndpointSuffix=core.windows.net
the blob link is https://data.blob.core.windows.net/x?sv=2024-11-04&ss=b&srt=o&sp=r&se=2027-01-01T00:00:00Z&sig=<A43>%3D
entra app secret <A3>8Q~<A34>
sql: Server=tcp:db.example.org;User ID=app;Password=<p14>;Encrypt=True
openrouter sk-or-v1-<h64>
deepseek sk-<h32>
groq gsk_<A52>
cerebras csk-<l48>
nvidia nvapi-<b64>
tavily tvly-<A32>
firecrawl fc-<h32>
langsmith lsv2_pt_<h32>_<h10>
pinecone pcsk_<A6>_<A63>
elevenlabs sk_<h48>
fireworks fw_<A24>
jina jina_<h32><A28>
huggingface org token api_org_<A34>
weights and biases: wandb login <h40>
npm publishes with npm_<A36>
the old .npmrc has //registry.npmjs.org/:_authToken=<h8>-<h4>-<h4>-<h4>-<h12>
docker hub: dckr_pat_<b27>
~/.docker/config.json has "auth": "<A39>="
crates.io publish token cio<A32>
nuget push -k oy2<l43>
clojars CLOJARS_<h60>
artifactory AKCp8<A65>
heroku HRKU-AA<b58>
fly.io FlyV1 fm2_<A120>
netlify nfp_<A36>
render rnd_<A28>
cloudflare user token cfut_<A40><h8>
supabase access sbp_<h40>
planetscale pscale_tkn_<b43>
neon napi_<l64>
digitalocean refresh dor_v1_<h64>
hetzner: export HCLOUD_TOKEN=<A64>
linode token is <h64>, export LINODE_TOKEN with it
pulumi pul-<h40>
terraform cloud <A14>.atlasv1.<b67>
vault batch token hvb.<b140>
tailscale tskey-auth-k<A10>CNTRL-<A32>
dynatrace dt0c01.<u24>.<u64>
grafana cloud glc_eyJ<A110>
sentry org token sntrys_eyJ<b120>_<b43>
new relic license key <h36>FFFFNRAL
datadog: DD_APP_KEY=<h40>
pagerduty header Authorization: Token token=y_<b18>
buildkite bkua_<h40>
circleci CCIPAT_<A22>_<h40>
sonarqube squ_<h40>
snyk auth: SNYK_TOKEN=<h8>-<h4>-<h4>-<h4>-<h12>
postman PMAK-<h24>-<h34>
figma figd_<b40>
airtable pat<A14>.<h64>
contentful CFPAT-<b43>
mapbox sk.eyJ1<A60>.<b22>
shopify app secret shpss_<h32>
mailgun key-<h32>
mailchimp <h32>-us12
brevo xkeysib-<h64>-<A16>
resend re_<A8>_<A24>
sendgrid SG.<b22>.<b43>
twilio account AC<h32> with auth token <h32>
plaid access-production-<h8>-<h4>-<h4>-<h4>-<h12>
facebook EAAG<A170>
aliyun LTAI5t<A18> / secret <A30>
aws session: aws_secret_access_key = <A40>
ASIA<u16> is the temporary one
cloudinary://<d15>:<b27>@demo
AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE
wireguard PrivateKey = <A43>=
-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n-----END OPENSSH PRIVATE KEY-----
PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n<A44>
eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.<b43>
curl -H 'X-Api-Key: <A32>' https://api.example.org
curl --user deploy:<p12> https://example.org/upload
wget --password=<p12> ftp://example.org/x
the proxy wants Proxy-Authorization: Basic <A32>==
psql postgres://app:<p12>@db.internal:5432/prod
redis-cli -u redis://default:<p16>@cache.internal:6379
amqp://worker:<p12>@mq.internal/vhost
PGPASSWORD=<p12> psql -h db prod
db.internal:5432:prod:app:<p14> goes into .pgpass
machine api.heroku.com login me@example.org password <h32>
htpasswd -b users alice <p12>
openssl enc -aes-256-cbc -pass pass:<p14>
net use Z: //nas/share <p12> /user:bob
the root password of the test machine is <p12>
my wifi passphrase: correct-horse-<d4>-staple
2FA seed otpauth://totp/Example:me?secret=<u32>&issuer=Example
github recovery codes: <h5>-<h5> <h5>-<h5> <h5>-<h5> <h5>-<h5>
wallet: ripple solar napkin vintage lizard orbit cactus velvet umbrella puzzle harvest tunnel
eth private key 0x<h64>
bitcoin WIF L<551>
bearer token in the script: Authorization: Bearer <b48>
kubeconfig has token: eyJhbGciOiJSUzI1NiIsImtpZCI6<A20>.eyJpc3MiOiJr<A60>.<b86>
django SECRET_KEY = 'django-insecure-<p50>'
rails secret_key_base: <h128>
""")

CHINESE = drawn(r"""
我的网银登录密码是 <d6>
支付宝支付密码：<d6>
微信支付密码是<d6>，别告诉别人
小区门禁密码 <d4>#
保险柜密码是左<d2>右<d2>左<d2>
家里的WiFi密码是 xiaoming<d4>
路由器后台口令：<p10>
邮箱授权码是 <l16>
QQ邮箱SMTP授权码：abcd<l12>
GitHub的令牌是ghp_<A36>
服务器root密码改成了 <p12>
数据库账号 app 密码 <p10>
开机密码“<d6>”
手机锁屏密码是<d6>
短信验证码 <d6>，五分钟内有效
银行卡取款密码：<d6>
钱包助记词：苹果 河流 山谷 太阳 月亮 石头 森林 大海 云朵 花园 城市 道路
私钥是 <h64>
阿里云 AccessKeySecret 是 <A30>
微信公众号 AppSecret：<h32>
登录口令：Admin@<d4>
電腦密碼是 <p8>
會員帳號 amy 密碼 <p10>
密钥：<A32>
VPN 的密码为 <p10>
把密码设成了 <p9>
""")

PERSONAL = drawn(r"""
my phone is +1 415 555 2671
call her at (212) 555-0147
Büro: +49 30 901820
téléphone 06 12 34 56 78
打我手机 13812345678
手机号是 139-1234-5678
座机 010-62345678
香港電話 +852 9123 4567
write to jane.doe@example.org
邮箱 zhang.san@example.com.cn
身份证号 11010519491231002X
ID card 440308199901101512
SSN 536-90-4399
passport number E12345678
护照号 G12345678
IBAN DE89 3704 0044 0532 0130 00
GB82WEST12345698765432 is the account
card 4111 1111 1111 1111
银行卡号 6222021234567890128
mastercard 5500-0055-5555-5559
amex 378282246310005
台湾身分證 A123456789
""")

HARMLESS = drawn(r"""
the build of commit <h40> failed on arm64
revert <h12>, it broke the nightly
sha256:<h64> is the image we run
md5 of the old dump: <h32>
the trace id was <h32> and the span <h16>
request id <h8>-<h4>-<h4>-<h4>-<h12> timed out
the tenant's uuid is <h8>-<h4>-<h4>-<h4>-<h12>
ETag "<h32>" comes back from the proxy
integrity="sha384-<A64>" is in the script tag
go.sum says h1:<A43>=
the svg starts with data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmci
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI<A43> me@laptop is the public key
-----BEGIN PUBLIC KEY----- is what the file must start with
-----BEGIN CERTIFICATE----- blocks are split by the script
set DATABASE_URL=postgres://user:password@localhost/db for tests
use redis://:password@localhost:6379/0 in docker compose
mysql -u root -p asks for the password
curl -u user:password https://example.com is from the docs
curl -u "$USER:$TOKEN" https://example.org
export OPENAI_API_KEY=sk-... in your shell
put ANTHROPIC_API_KEY=<your key> into .env
the token is in $GITHUB_TOKEN
API_KEY=${API_KEY:-changeme}
password: ${DB_PASSWORD}
password = os.environ["DB_PASSWORD"]
the secret lives in vault at secret/data/app
passwords are hashed with argon2id, 64 MB and 3 rounds
password must be at least 12 characters
reset the password through the admin page
the password field is called pwd in the form
rotate tokens every 90 days
tokens expire after 3600 seconds
each request costs 1200 tokens
the max_tokens setting is 4096
tokenizer vocabulary has 100277 tokens
the API key page is at https://platform.example.com/api-keys
the key for the cache is user:1234:profile
the primary key is user_id
foreign key constraint fk_orders_customer_id_20240101
press the key combination ctrl+alt+shift+k
keyboard shortcut: cmd-shift-p
the secret to good tea is water at 80 degrees
authorization is done by the gateway, authentication by keycloak
Authorization: Bearer <token>
add the header X-Api-Key: YOUR_API_KEY
basic auth is disabled on staging
git clone git@github.com:example/project.git
git remote set-url origin https://github.com/example/project.git
ssh -i ~/.ssh/id_ed25519 deploy@10.0.0.12
scp build.tar.gz deploy@host:/srv/app
kubectl create secret generic app --from-file=.env
kubectl get secret app -o jsonpath='{.data.password}'
docker login -u ci --password-stdin
sshpass is not installed on the runner
pass show work/db | head -1
openssl rand -base64 32
openssl req -new -x509 -nodes -out cert.pem
python -m http.server 8000
pip install torch==2.5.1+cu124
npm i @types/node@22.10.1
version 1.2.3-rc.4+build.20261122
node_modules/.pnpm/react-dom@18.3.1_react@18.3.1
the bundle is main.<h8>.chunk.js
s3://bucket/prefix/2026/11/22/part-00000-<h8>-<h4>-<h4>-<h4>-<h12>-c000.snappy.parquet
arn:aws:iam::123456789012:role/deploy
the account id is 123456789012
vpc-0<h16> and subnet-0<h16>
i-0<h16> is the old instance
ami-0<h16> boots twice as fast
projects/my-project-<d6>/locations/us-central1/clusters/prod
AWS_REGION=eu-central-1
GOOGLE_APPLICATION_CREDENTIALS=/run/secrets/gcp.json
the service account is ci@project.iam.gserviceaccount.com
LC_ALL=C.UTF-8 fixes the locale
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin
the error was E0432: unresolved import
CVE-2024-3094 is about xz
RFC 7519 describes the format of JSON web tokens
port 5432 is taken, use 15432
the ports 8080:80 and 8443:443 are mapped
ips 192.168.1.10 to 192.168.1.254 are given out by DHCP
mac address 00:1b:44:11:3a:b7
ipv6 2001:db8:85a3::8a2e:370:7334
order 20261122-000123 was delivered
invoice INV-2026-00451 is paid
ticket ABC-12345 blocks the release
model claude-sonnet-4-5-20250929 is the default
gpt-4o-mini-2024-07-18 is cheaper
the checkpoint is step_00012000.safetensors
seed 1234567890 gives the same split
learning rate 3e-4, batch 512, 10000 steps
latency p99 is 183 ms at 2000 rps
the regex is ^[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}$
color palette #1b9e77 #d95f02 #7570b3
the timestamp 1732262400000 is in milliseconds
meeting id 832 1234 5678 on Tuesdays
the isbn is 978-3-16-148410-0
train ICE 1234 leaves at 08:15
the flag is --no-password-prompt
user story: as a user I forget my password
the onboarding says to choose a strong password
two-factor codes come from the phone
the wallet app shows twelve words to write down
we play the game with the word list apple river stone
密码要定期更换
密码长度至少八位
忘记密码请联系管理员
登录口令策略在 wiki 上
验证码的有效期是五分钟
令牌桶算法限制每秒 100 次
密钥轮换周期是 90 天
助记词要抄在纸上保存
授权码模式是 OAuth 的一种
支付密码错误三次会锁定
主键是 user_id，外键是 order_id
端口 6379 给 redis 用
版本号 2.4.1 修复了登录问题
""")
