"""Credentials of today's vendors, and harmless sentences that look like them; values as in fresh_rows.

The expressions were written beside FIRST and PLAIN. LATER and LATER_PLAIN were written afterwards, without a look at
the expressions; docs/decisions/0004 has the figures of that first look at them.
"""

import random

from tests.detector.fresh_rows import drawn

FIRST = drawn(r"""
my mistral key <A32>
deepgram key <h40>
the posthog personal key is phx_<A43>
youtrack: perm:<A8>==.<A6>==.<A40>
jetbrains hub token perm-<A10>.<A8>.<A34>
browserbase bb_live_<b27>
cursor key key_<h64>
the openai service account uses sk-svcacct-<b80>
openai admin sk-admin-<b74>
anthropic oauth sk-ant-oat01-<b90>
the claude admin key sk-ant-admin01-<b93>AA
gemini AIzaSy<b33>
gemini's new form AQ.Ab8RN6<b44>
vertex ya29.c.<b120>
google client secret GOCSPX-<b28>
bedrock ABSK<A110>=
aws temp ASIA<u16>
azure openai key <h32>
azure cosmos AccountKey=<A86>==
cloudflare api token: <b40>
cloudflare global key <h37>
cloudflare tunnel token eyJhIjoi<A120>
digitalocean dop_v1_<h64>
fly deploy token fo1_<b43>
FlyV1 fm2_<A100>,fm2_<A60>
render rnd_<A32>
vercel token <A24>
vercel vcp_<A56>
vercel blob vercel_blob_rw_<A16>_<A32>
netlify nfp_<A40>
supabase sbp_<h40>
the new supabase key is sb_secret_<b31>
planetscale pscale_tkn_<b43>
neon key napi_<l60>
turso token eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.eyJhIjoicnci<A40>.<b86>
upstash rest token <A60>
mongo mongodb+srv://app:<p16>@cluster0.ab1cd.mongodb.net/prod
databricks dapi<h32>-2
snowflake password: <l14>
huggingface hf_<A34>
replicate r8_<A37>
groq gsk_<A52>
xai xai-<A80>
perplexity pplx-<A48>
together key <h64>
together tgp_v1_<b43>
fireworks fw_<A24>
cohere key <A40>
the assemblyai key is <h32>
elevenlabs sk_<h48>
pinecone pcsk_<A6>_<A63>
weaviate api key <A36>
langsmith lsv2_sk_<h32>_<h10>
langfuse sk-lf-<h8>-<h4>-<h4>-<h4>-<h12>
wandb key <h40>
notion ntn_<d11><A35>
linear lin_api_<A40>
figma figd_<b40>
airtable pat<A14>.<h64>
asana 1/<d16>:<h32>
atlassian ATATT3xFfGF0<b180>
atlassian scoped ATCTT3xFfGN0<b170>
glpat-<b20>
gitlab new style glpat-<b27>.01.<l9>
ghp_<A36>
github_pat_<A22>_<A59>
npm_<A36>
pypi-AgEIcHlwaS5vcmc<b90>
rubygems_<h48>
cio<A32>
dckr_pat_<b27>
hcp terraform <A14>.atlasv1.<b67>
vault hvs.CAESI<b90>
doppler dp.pt.<A43>
1password ops_eyJ<A250>
infisical st.<h24>.<h32>.<h32>
postman PMAK-<h24>-<h34>
sentry sntrys_eyJ<A120>_<b43>
datadog app key <h40>
new relic NRAK-<u27>
grafana glsa_<A32>_<h8>
grafana glc_eyJ<A100>
honeycomb hcaik_<l58>
segment write key <A32>
stripe sk_live_51<A96>
stripe rk_test_51<A60>
whsec_<A32>
square EAAAl<b58>
plaid secret <h30>
shopify shpat_<h32>
twilio auth token <h32>
mailgun <h32>-<h8>-<h8>
postmark server token <h8>-<h4>-<h4>-<h4>-<h12>
resend re_<A8>_<A24>
sendgrid SG.<b22>.<b43>
brevo xkeysib-<h64>-<A16>
slack xoxb-<d12>-<d13>-<A24>
slack xoxc-<d12>-<d12>-<d12>-<h64>
discord bot MT<A22>.G<A5>.<b38>
telegram <d10>:AA<b33>
line channel access token <A170>=
okta api token 00<b40>
auth0 client secret <b64>
clerk sk_live_<A42>
tailscale tskey-api-k<A10>CNTRL-<A32>
ngrok authtoken <A27>_<A21>
algolia write key <h32>
mapbox sk.eyJ1<A70>.<b22>
e2b e2b_<h40>
tavily tvly-dev-<A32>
exa key <h8>-<h4>-<h4>-<h4>-<h12>
firecrawl fc-<h32>
jina jina_<h32><A28>
voyage pa-<b43>
modal ak-<A22> / as-<A22>
runpod rpa_<A46>
lambda cloud key secret_prod_<h32>.<A32>
cerebras csk-<l48>
sambanova key <h8>-<h4>-<h4>-<h4>-<h12>
deepseek sk-<h32>
moonshot sk-<A48>
zhipu <h32>.<A16>
dashscope sk-<h32>
火山引擎 AKLT<A40>
bce-v3/ALTAK-<A21>/<h40>
tencent AKID<A32>
aliyun LTAI5t<A18>
微信 AppSecret <h32>
AGE-SECRET-KEY-1<u58>
coze pat_<A64>
dify app-<A24>
composio ak_<b20>
retell key_<h28>
cal.com cal_live_<h32>
paddle pdl_live_apikey_<l26>_<A22>_<A3>
polar polar_oat_<A40>
trigger.dev tr_prod_<A20>
inngest signkey-prod-<h64>
convex deploy key prod:happy-otter-123|eyJ2<A100>
onesignal os_v2_app_<l100>
helicone sk-helicone-<A7>-<A7>-<A7>-<A7>
llamacloud llx-<A48>
mem0 m0-<A40>
brave BSA<b28>
fal <h8>-<h4>-<h4>-<h4>-<h12>:<h32>
cockroach CCDB1_<A22>_<A40>
mongodb atlas mdb_sa_sk_<b40>
axiom xaat-<h8>-<h4>-<h4>-<h4>-<h12>
statsig secret-<A43>
clickup pk_<d8>_<u32>
klaviyo pk_<h34>
trello ATTA<h64>
telnyx KEY01<u30>_<A22>
pubnub sec-c-<A48>
ably xVLyHw.<b6>:<b43>
open vsx ovsxat_<h8>-<h4>-<h4>-<h4>-<h12>
socket sktsec_<A44>_api
devin apk_user_<A120>
harness pat.<b22>.<h24>.<A20>
octopus API-<u26>
canva cnvca<b51>
elastic essu_<b80>
razorpay key secret <A24>
matrix syt_<A12>_<A20>_<A6>
woocommerce consumer secret cs_<h40>
salesforce 00D<A12>!<A80>
twitch oauth:<l30>
jenkins api token 11<h32>
steam web api key <u32>
hetzner token <A64>
linode token <h64>
my deepgram key for staging is <h40>
here is the key we use for assembly ai: <h32>
<h40> is my deepgram key
<A32> is the mistral api key
use <A40> as the cohere token
the token of the bot on staging: <A30>
DEEPGRAM_KEY=<h40>
export MISTRAL_API_KEY="<A32>"
mistral.key: <A32>
"deepgramToken": "<h40>"
our vonage secret <A16>
the render key in CI → <A32>
x-api-key: <A40>
Authorization: Key <A32>
curl -H "xi-api-key: <h32>" https://api.example.org
mistral 的密钥是 <A32>
deepgram 的 key 是 <h40>
我的硅基流动令牌：<A48>
<A32> 是智谱的密钥
高德地图 key <h32>
和风天气 key：<h32>
七牛 SecretKey <A40>
讯飞的 APISecret 是 <A32>
百度翻译密钥 <A20>
飞书应用的 app secret <A32>
钉钉机器人密钥 SEC<h64>
腾讯云 SecretKey：<A32>
gitee 私人令牌 <h32>
企业微信 corpsecret <b43>
""")

PLAIN = drawn(r"""
The cache key is user:42:profile
primary key order_items_id
Press the key F12
the token limit is 128000 tokens
commit <h40> fixes the token refresh
the public key fingerprint is SHA256:<A43>
idempotency key order-2024-11-05
session key rotation happens weekly
the S3 object key is backups/2026/11/db.dump.gz
Redis key rate:login:192.168.0.1
translation key settings.profile.title
key combination Ctrl+Shift+P
git tag token-refresh-v2
the idempotency key is <h8>-<h4>-<h4>-<h4>-<h12>
Idempotency-Key: <h8>-<h4>-<h4>-<h4>-<h12>
the foreign key points to orders.id
the composite key (tenant_id, user_id) is unique
the partition key is tenant#<d6>
DynamoDB sort key ORDER#2026-11-23#<d8>
the Kafka message key is <h8>-<h4>-<h4>-<h4>-<h12>
the routing key is orders.created.eu-west-1
cache key sess:<h32> expires after 30 minutes
the redis key is cart:<h24>
redis key session:<A24>
the i18n key is checkout.payment.error_declined
React needs a key prop on each list item
the key of the map is the user id <h24>
object key uploads/<h8>-<h4>-<h4>-<h4>-<h12>/avatar.png
the etag is "<h32>"
the sha256 of the tarball is <h64>
tokens are counted with o200k_base
the tokenizer has 151936 entries
a prompt of 3500 tokens costs 2 cents
max_output_tokens is 8192
the page token is CAESBgoEGgIIAQ
nextPageToken: CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA
pagination uses a cursor token
the cancellation token is passed to every handler
CancellationToken token = default
the csrf token is in the form
the device token changes after a reinstall
the token bucket refills 10 per second
token type ids are zero for the first sentence
the JWT expires after 15 minutes
refresh tokens are rotated on each use
access tokens live one hour
the token endpoint is /oauth2/v2.0/token
the secret is rotated by the operator
the k8s secret is called db-credentials
kubectl get secret app-tls -o yaml
the secret name is prod/payments/stripe
secrets are mounted at /run/secrets
secret scanning is on for all repositories
the keyboard layout is de-neo2
keyframes are every 250 frames
keyword arguments come last
the keystore is at /etc/ssl/keystore.p12
keycloak 26.0.5 runs on staging
the keyring is unlocked at login
ssh key: ~/.ssh/id_ed25519
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI<A43> dev@box
the host key of the server is SHA256:<A43>
the gpg key id is 0x<h16>
gpg key <h40> signs the releases
the KMS key id is <h8>-<h4>-<h4>-<h4>-<h12>
KMS key arn:aws:kms:eu-west-1:123456789012:key/<h8>-<h4>-<h4>-<h4>-<h12>
the key id in the JWKS is <b20>
kid: <h40>
API keys are in 1Password, vault "Backend"
the API key is read from the environment
set OPENAI_API_KEY before you start
export MISTRAL_API_KEY=$MISTRAL_API_KEY
MISTRAL_API_KEY=<your-mistral-key>
deepgram key: YOUR_DEEPGRAM_KEY
the api key looks like sk-...
keys begin with phx_ at PostHog
browserbase keys begin with bb_live_
github tokens begin with ghp_ or github_pat_
the deepgram key in the docs is 1234567890abcdef1234567890abcdef12345678
the stripe publishable key is pk_live_<A24>
pk_test_<A24> is in the frontend
posthog project key phc_<A43>
supabase publishable sb_publishable_<b31>
mapbox pk.eyJ1<A60>.<b22> is public
the Stripe customer is cus_<A14>
price_<A24> is the yearly plan
payment intent pi_<A24> failed
the request id is req_<A24>
msg_<A24> was the first answer
tool call toolu_<A24> timed out
response id chatcmpl-<A29>
thread_<A24> belongs to asst_<A24>
file-<A24> was uploaded
run_<A24> is still queued
the Clerk user user_<A27>
trace <h32> span <h16>
x-request-id: <h32>
x-amzn-trace-id: Root=1-<h8>-<h24>
container <h64> exited with 137
container id <h12>
docker image sha256:<h64>
pod payments-api-<h10>-x2x7q was evicted
node ip-10-0-12-34.eu-west-1.compute.internal
the build <h40> is deployed
revert <h40>
cherry-pick <h9> to release/2.3
merge base is <h40>
git bisect says <h40>
the tree object is <h40>
blob <h40> is 3 MB
the lockfile hash is sha512-<A86>==
integrity sha384-<A64>
yarn.lock has resolved "https://registry.yarnpkg.com/x/-/x-1.0.0.tgz#<h40>"
etag W/"<h40>"
md5 <h32>
checksum: <h64>
the nonce is <A24>
the salt is stored beside the hash
bcrypt cost is 12
argon2id with m=65536,t=3,p=4
AES-256-GCM with a 96 bit nonce
RSA-4096 keys take 2 s to make
the TLS certificate's serial is <h32>
the certificate thumbprint is <h40>
the asset is main.<h20>.js
chunk-<u8>.js is loaded lazily
static/media/logo.<h20>.svg
the figma file key is in the address
figma file <A22>
the Google Doc id is 1<b43>
spreadsheet 1<b43> has the budget
the notion page is <h32>
notion page id <h8>-<h4>-<h4>-<h4>-<h12>
youtube video dQw4w9WgXcQ explains it
the gist is at https://gist.github.com/me/<h32>
the tweet is https://x.com/a/status/<d19>
slack channel C0<u9>
slack thread https://acme.slack.com/archives/C0<u9>/p<d16>
the AWS account is <d12>
ami-0<h16> is the base image
subnet-0<h16> and sg-0<h16>
key pair key-0<h16> is for the bastion
the instance is i-0<h16>
arn:aws:secretsmanager:eu-west-1:<d12>:secret:prod/db-AbC12d
the Azure tenant is <h8>-<h4>-<h4>-<h4>-<h12>
the subscription id is <h8>-<h4>-<h4>-<h4>-<h12>
the client id is <h8>-<h4>-<h4>-<h4>-<h12>
client_id: <d12>-<l32>.apps.googleusercontent.com
GOOGLE_CLIENT_ID=<d12>-<l32>.apps.googleusercontent.com
the GA4 property is G-<u10>
sentry dsn host is o<d6>.ingest.sentry.io
the UUID of the disk is <h8>-<h4>-<h4>-<h4>-<h12>
user <h8>-<h4>-<h4>-<h4>-<h12> cannot log in
order <h24> is stuck
the mongo _id is <h24>
ObjectId("<h24>")
ulid 01J<u23>
nanoid <b21> is the room
cuid c<l24>
ksuid 2<A26>
snowflake id <d19>
the memory m_7k2q9x4htb is outdated
meeting https://meet.google.com/abc-defg-hij
zoom.us/j/<d11>
flight LH<d4> seat 12A
IP 10.0.12.34 port 8443
latency p99 183 ms at 2000 rps
version v1.24.3-rc.2+<h7>
python 3.14.0rc2 is out
numpy==2.1.3 pinned
torch-2.5.1+cu124-cp312-cp312-linux_x86_64.whl
Qwen2.5-Coder-32B-Instruct-GPTQ-Int4 runs on one GPU
claude-sonnet-4-5-20250929 is the default
gpt-4o-mini-2024-07-18 is cheap
llama-3.3-70b-versatile on groq
deepgram nova-3 is better than whisper-large-v3
mistral-large-2411 is the fallback
the mistral model is open-mixtral-8x22b
cohere embed-multilingual-v3.0 has 1024 dims
elevenlabs voice id <A20>
pinecone index docs-prod-1536
datadog dashboard abc-d3f-9hi
the wandb run is https://wandb.ai/me/proj/runs/<l8>
huggingface.co/Qwen/Qwen2.5-7B-Instruct
the heroku app is frozen-river-12345
vercel deployment my-app-<l9>-acme.vercel.app
the netlify site id is <h8>-<h4>-<h4>-<h4>-<h12>
cloudflare zone id <h32>
cloudflare account id is <h32>
render service srv-<l20>
railway project <h8>-<h4>-<h4>-<h4>-<h12>
fly app promptx-staging in fra
supabase project ref abcdefghijklmnopqrst
neon branch br-cool-darkness-123456
planetscale branch add-index-2026
the auth service answers 401 with code AUTH_0042
the login form posts to /api/v2/session
auth is handled by the gateway-v2
the authorization header is stripped by the proxy
bearer auth is required for /metrics
basic auth protects staging
the cookie is SameSite=Strict
the session cookie lives 14 days
the credentials are in the keychain
credential helpers cache for 15 minutes
git config credential.helper osxkeychain
passwords are checked against HIBP
password rules: at least 12 characters
a passphrase of six words is enough
the PIN pad is broken
pin the dependency to 4.17.21
OTP codes expire after 30 seconds
two factor codes come by app
the recovery plan is in docs/recovery-v2.md
error code E0382: borrow of moved value
error AADSTS50011: reply URL mismatch
HTTP 403 from api-gateway-prod-2
exit status 3221225477
errno 104 ECONNRESET
the feature flag is new-checkout-2026-q4
feature flag key new_onboarding_v3
the experiment key is pricing_test_2026_11
the metric key is http.server.duration
config key spring.datasource.hikari.maximum-pool-size
registry key HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Run
the dictionary key is "Content-Type"
sort by the key created_at
group key region_2026
JSON keys are snake_case
the answer key for exercise 12 is on page 340
the key finding of the report is on page 12
key results for Q4 2026
a key decision was made on 2026-11-20
the key account is Acme GmbH
low key the best editor
issue key PROJ-12345
the Jira key is PAYMENTS-2201
project key promptx_mem_main
SonarQube project key com.acme:payments-api
the piano has 88 keys
key stage 2 starts in 2026
keynote on 2026-11-30
monkey patching is forbidden
turkey is served at 18:00
hotkey cmd+option+3
shortcut key Alt+F4
license: BSD-3-Clause
the license key file is on the share
the private key never leaves the HSM
the signing key is in the Secure Enclave
the encryption key is derived by HKDF-SHA256
the master key is split with Shamir 3 of 5
the deploy key is read-only
the service account is ci@proj-123456.iam.gserviceaccount.com
the webhook secret is checked in verify_signature()
token = request.headers["X-Token"]
token := os.Getenv("GITHUB_TOKEN")
const token = await getAccessToken(user.id)
api_key = config["services"]["mistral"]["api_key"]
secret = Secret.from_name("openai-secret-2026")
key = hashlib.sha256(data).hexdigest()
key={item.id}
getItem(key: string): Promise<string>
def cache_key(user_id: int, page: int) -> str:
cacheKey = `user:${id}:v2`
SELECT key, value FROM settings WHERE key = 'theme_v2'
localStorage key auth_state_v3
the localStorage key is pmx.session.v2
etcd key /registry/secrets/default/app-tls
consul key service/web/config/v2
zookeeper node /brokers/topics/orders-v2
vault path secret/data/prod/payments
the token is stored in the keychain under com.acme.cli
the CI token has the scope read:packages
tokens with the scope repo expire after 90 days
the bot token is in the parameter store
we revoke tokens after 5 failures
the token was revoked in <h40>
the secret leaked in commit <h40>
the key was rotated in <h12>
rotate the key every 90 days, last on 2026-10-01
缓存键是 user:42:profile
缓存 key 是 session:<h32>
主键是 order_id
主键 id 是 <h24>
外键引用 orders.id
快捷键 Ctrl+Shift+P
按键 F12 打开控制台
分区键是 tenant_id
Redis 的 key 是 rate:login:192.168.0.1
对象键 backups/2026/11/db.dump.gz
幂等键 order-2026-11-05
幂等键用 <h8>-<h4>-<h4>-<h4>-<h12>
翻译 key 是 settings.profile.title
公钥指纹是 SHA256:<A43>
公钥放在 keys.example.com
token 上限是 128000
上下文窗口 200000 个 token
每百万 token 2 美元
令牌桶每秒 100 个
令牌有效期两小时
刷新令牌每次使用后轮换
密钥每 90 天轮换
密钥存放在 KMS
密钥管理用 Vault 1.17
密钥长度 256 位
提交 <h40> 修复了令牌刷新
提交哈希 <h40>
镜像摘要 sha256:<h64>
请求 ID 是 <h32>
链路 ID <h32>
订单号 <d18>
用户 <h24> 登录失败
设备 ID <h8>-<h4>-<h4>-<h4>-<h12>
版本 v2.13.0-beta.4
文件的 MD5 是 <h32>
校验和 <h64>
飞书文档 https://acme.feishu.cn/docx/<A27>
企业微信群 id wr<A30>
模型 qwen2.5-72b-instruct 更便宜
智谱 glm-4-plus 的上下文是 128k
接口 /api/v3/token/refresh 返回 401
登录接口要带 X-Request-Id
凭证管理在 Jenkins 里
口令策略见 wiki
密码用 argon2id 加密
证书序列号 <h32>
公众号 appid 是 wx<h16>
appid wx<h16>
高德地图的 key 要配置白名单
密钥格式是 sk- 开头
API key 以 phx_ 开头
测试环境的 key 找张三要
""")

LATER = drawn(r"""
For Anyscale use aph0_<A24> as the bearer
Our Arize space key ak-<h8>-<h4>-<h4>-<h4>-<h12>-<b22>
unstructured.io gave us <A30>, that is the API key
The Baseten key for the demo is <A8>.<A32>
Beam cloud token <b86>==
BentoCloud api token: <l20>
Braintrust sk-<A48>
Buildkite agent token <b42>
bump.sh token <h40>
the ClickHouse cloud secret is 4b1d<A38>
Codeium/Windsurf key <h8>-<h4>-<h4>-<h4>-<h12>
cronitor api key <h32>
crowdin personal token <h80>
CrowdStrike client secret <A40>
customer.io app key <h32>
Daily.co <h64> is the api key
deno deploy ddp_<A36>
fauna secret fn<A38>
FATHOM token <d10>|<A40>
flagsmith server key ser.<A22>
Gladia key: <h8>-<h4>-<h4>-<h4>-<h12>
Grafana OnCall token glsa_<A32>_<h8>
heygen key <A50>==
the hCaptcha secret 0x<h40>
ipinfo token <h14>
IPStack access key <h32>
Jira server PAT <A44>
LemonSqueezy eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.eyJhdWQiOiI5<A60>.<b200>
Liveblocks sk_prod_<b62>
livekit api secret is <A43>
loops.so api key is <h32>
LaunchDarkly api-<h8>-<h4>-<h4>-<h4>-<h12> is the access token
Mixpanel project secret <h32>
Memfault org token oat_<A32>
nomic nk-<b43>
Okta token 00<b40> for the sandbox org
Open Exchange Rates app_id token <h32>
OpenRouter provisioning sk-or-v1-<h64>
Opsgenie GenieKey <h8>-<h4>-<h4>-<h4>-<h12>
PagerDuty u+<b18> is the user token
parallel.ai key <b40>
the Portkey key <b27>=
prisma postgres: prisma+postgres://accelerate.prisma-data.net/?api_key=eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhcGlfa2V5Ijoi<A60>.<b43>
Pusher secret <h20>
Railway token <h8>-<h4>-<h4>-<h4>-<h12>
RevenueCat sk_<A32>
Rollbar post_server_item token <h32>
ScrapingBee <u80> is our key
siliconflow sk-<l48>
StackAdapt token <A40>
Sourcegraph sgp_<h16>_<h40>
Tinybird token p.eyJ1IjogIjEy<A60>.<b43>
TypeSense admin key <A32>
unkey root key unkey_<A22>
Vapi private key <h8>-<h4>-<h4>-<h4>-<h12>
Voiceflow VF.DM.<h24>.<A16>
Webflow site token <h64>
WorkOS sk_test_a2V5XzAx<A50>
xata xau_<A42>
Zapier NLA key sk-ak-<A44>
zep key z_1dWlkIjoi<A60>.<b40>
zyte api key <h32>
豆包的 API Key 是 <h8>-<h4>-<h4>-<h4>-<h12>
把 kimi 的 key 换成 sk-<A48>
阶跃星辰的密钥：<A64>
百川 sk-<h32> 别提交
讯飞星火 APIKey <h32> APISecret <A32>
心知天气私钥 S<b16>
又拍云操作员密码 <A32>
Cookie: _gitlab_session=<h32>
remote: https://oauth2:<b26>@gitlab.example.com/team/app.git
DATABASE_URL=postgresql://neondb_owner:npg_<A12>@ep-cool-123.eu-central-1.aws.neon.tech/neondb
proxy is socks5://alice:<p10>@10.1.1.1:1080
my wifi at the office, password <p12>
the mailbox app password is <l4> <l4> <l4> <l4>
GitHub recovery code <h5>-<h5>
gpg passphrase: <p16>
export ANTHROPIC_AUTH_TOKEN=<A48>
kubectl --token=<A64> get pods
echo <A32> | docker login ghcr.io -u me --password-stdin
--set auth.jwtSecret=<A40>
signing secret for Slack requests: <h32>
""")

LATER_PLAIN = drawn(r"""
the answer cache uses the prompt's sha1, e.g. <h40>
bump actions/checkout to <h40>
pre-commit rev is <h40>
flake.lock pins nixpkgs at <h40>
narHash sha256-<A43>=
go.sum: h1:<A43>= for yaml.v3
Cargo.lock checksum <h64>
poetry.lock content-hash <h64>
the docker digest changed to sha256:<h64>
submodule vendor/lib is at <h40>
git stash@{0} is on <h7>
bisected the slow key lookup to <h10>
tokens per second went from 42.1 to 118.7 on the 4090
we pay 0.15 USD per 1M input tokens and 0.60 USD per 1M output tokens
special tokens <|im_start|> and <|im_end|> have ids 151644 and 151645
eos_token_id is 128009
pad token id 0, unk token id 3
token classification with bert-base-NER
the tokenizer splits getUserById2 into 5 tokens
byte-pair merges are in merges.txt, 50000 lines
KV cache keys are stored in fp8_e4m3
attention keys have dim 128, 8 heads
the key projection is k_proj.weight of layer 12
the memory key in mem0 is user_id+agent_id
Qdrant point id <h8>-<h4>-<h4>-<h4>-<h12>
vector collection docs_v3_1536
elasticsearch doc _id <b20>
kibana dashboard <h8>-<h4>-<h4>-<h4>-<h12>
grafana dashboard uid <b14>
the datasource uid is P<u16>
loki label key namespace
prometheus metric http_requests_total{code="500"}
span <h16> is the slow one
otel trace <h32> shows 3 retries
sentry issue 5<d9>
sentry event id <h32>
datadog trace id <d19>
cloudtrail eventID <h8>-<h4>-<h4>-<h4>-<h12>
cf-ray <h16>-FRA
x-vercel-id fra1::<l5>-<d13>-<h12>
AWS request id <h8>-<h4>-<h4>-<h4>-<h12>
S3 version id <A32>
the S3 key for invoices is invoices/2026/11/INV-00451.pdf
GCS object key logs/<d8>/part-<d5>.avro
azure resource group rg-prod-weu-001
the storage account is stpromptxprod01
keyvault name kv-prod-weu-01
key vault secret named sql-admin-password
secret version <h32> is current in Key Vault
aws secretsmanager get-secret-value --secret-id prod/db
gcloud secrets versions access latest --secret=stripe-key
doppler run -- npm start
op run --env-file=.env -- make test
vault kv get -field=token secret/ci/deploy
sops encrypts with age recipient age1<l58>
the age public key is age1<l58>
wireguard peer public key <A43>=
minisign pubkey RWQ<A53>
ssh host key fingerprint MD5:16:27:ac:a5:76:28:2d:36:63:1b:56:4d:eb:df:a6:48
tls pin sha256/<A43>=
cosign.pub is checked in
the signing cert expires 2027-03-01
certificate CN=api.example.org, O=Example
serial number 04:<h2>:<h2>:<h2>:<h2>
OIDC sub is auth0|<h24>
the auth0 user google-oauth2|<d21>
audience https://api.example.org/v2
oauth scopes: repo read:org workflow
redirect_uri https://app.example.org/oauth/callback/v2
PKCE uses S256
grant type urn:ietf:params:oauth:grant-type:device_code
the refresh flow returns 400 invalid_grant
the token introspection endpoint is slow, p95 820 ms
access token lifetime went from 3600 to 900
JWT alg must be ES256, not HS256
claims: iss, sub, aud, exp, iat, jti
password grant is disabled
the admin password is in Bitwarden under 'prod-db'
bring back the password strength meter zxcvbn 4.4.2
login throttling: 5 tries per 15 minutes
session fixation fixed in 2.3.1
cookie consent banner v3
the key difference between v1 and v2 is streaming
keys() is O(n) in Redis 7.2
SCAN 0 MATCH user:* COUNT 1000
redis key pattern sess:*:<h8>
hash key tenant:<h24>
the memcached key is limited to 250 bytes
dedupe key is (source, external_id, sha256)
the lock key is 0x7A6B2C31
pg_advisory_lock(8675309)
a surrogate key BIGINT replaces the natural key
UNIQUE KEY uk_email_tenant (email, tenant_id)
ALTER TABLE orders ADD PRIMARY KEY (id, created_at)
CREATE INDEX CONCURRENTLY idx_orders_user_id_created_at
mysql error 1062 duplicate entry 'a@b.c' for key 'users.uk_email'
fk_rails_<h10> is violated
the migration is 20261105143000_add_api_keys.rb
alembic revision <h12>
flyway V2026_11_05__add_tokens.sql
liquibase changeset 1699-42
the enum key PAYMENT_FAILED_3DS2
the YAML anchor &defaults_v2
json key "x-ms-client-request-id"
header key X-B3-TraceId
the query param key is utm_source
localized under the key home.hero.title_2026
press the Windows key and type msconfig
map the Caps Lock key to Escape
key repeat is 30 ms, delay 200 ms
MIDI key 60 is middle C
the song is in the key of C# minor
keyframe interval 2 s, GOP 60
stream 1080p60 at 6000 kbps
the car key is with Anna
a key to room 4711 is at the desk
Secret Santa budget is 25 EUR
trade secret training is due on 2026-12-01
the secret sauce is caching
token ring was replaced in 1998
a token of thanks, 50 EUR
BTC address bc1q<l38>
ETH address 0x<h40>
tx 0x<h64> is confirmed
the contract is at 0x<h40>
block hash 0x<h64>
IPFS cid bafybei<l52>
torrent magnet:?xt=urn:btih:<h40>
Steam game 730 build 15924581
Discord channel <d18>
telegram chat -100<d10>
Teams meeting 19:meeting_<A48>@thread.v2
zoom meeting 863 4567 8901
youtube playlist PL<b32>
spotify track 4uLU6hMCjMI75M1A2tKUQC
doi 10.1145/3531146.3533088
arXiv 2305.18290v3
ISBN 978-1-4920-5681-6
IMEI and serial of the phone are in the inventory
PLU 4011 is bananas
part number STM32F407VGT6TR
firmware 7.15.3(build 20261105)
GPU-<h8>-<h4>-<h4>-<h4>-<h12> is the A100
nvidia driver 570.86.15
PCI 0000:3b:00.0
MAC 3c:22:fb:<h2>:<h2>:<h2>
/dev/disk/by-id/nvme-Samsung_SSD_990_PRO_2TB_S7KHNU0X<d6>
initramfs uuid <h8>-<h4>-<h4>-<h4>-<h12>
MongoDB shard key { tenantId: 1, _id: "hashed" }
Firebase doc users/<A28>
Firestore id <A20>
Supabase ref <l20>.supabase.co
Convex id k<l31>
Linear issue ENG-1234, id <h8>-<h4>-<h4>-<h4>-<h12>
Notion db <h32>
Airtable base app<A14> table tbl<A14> view viw<A14>
Figma node 1234:56789
Stripe sub_1<A23> is past_due
evt_1<A23> was replayed
Shopify order gid://shopify/Order/5<d12>
Twilio message SM<h32>
Algolia index prod_products_v2
OpenAI batch batch_<h32>
anthropic request req_011C<A20>
vLLM served as Qwen/Qwen3-32B-AWQ
HF commit <h40> of the model card
huggingface dataset revision refs/convert/parquet
wandb run id <l8>
mlflow run <h32>
dvc file md5: <h32>.dir
the checkpoint is ckpt-000120000-loss1.87.pt
airflow dag_run manual__2026-11-05T14:30:00+00:00
celery task <h8>-<h4>-<h4>-<h4>-<h12> retried
kafka group orders-consumer-v3, partition 17, offset 482915730
rabbitmq queue amq.gen-<b22>
temporal workflow order-482915, run <h8>-<h4>-<h4>-<h4>-<h12>
缓存 key 统一用 app:{env}:{id} 格式
这个 key 对应的值是 42
按住 Shift 键再点
输入 token 和输出 token 分开计费
上次的 commit 是 <h40>
镜像 tag 用 git sha <h12>
数据库主键改成 uuid，如 <h8>-<h4>-<h4>-<h4>-<h12>
日志里的 traceId 是 <h32>
钉钉群 cid<A32>==
小程序 appid wx<h16> 已备案
高德 POI B0FFG<u5>
微信 openid 是 o<b27>
飞书 open_id ou_<h32>
支付宝 trade_no <d28>
快递单号 SF<d13>
统一社会信用代码 91110108MA01<u6>
密钥对的公钥是 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI<A43>
令牌过期后返回 401，错误码 40103
密钥轮换脚本在 scripts/rotate_keys_v2.sh
凭证类型选 Secret text
密码框用 v-model 绑定 form.password2
把 key 作为参数传给 getItem
对 key 做一次 murmur3 哈希再取模 1024
文件 key 形如 img_v3_02ab_<h8>
""")


VENDORS = (
    "acme adyen ahrefs aiven airbyte amplitude apollo appwrite astronomer attio backblaze bitly box braintree browserstack buttercms "
    "calendly carto census chargebee checkly chromatic clearbit cloudsmith codacy coda coveralls currents cypress dagster datocms depot "
    "directus drata envoy expo fauna fivetran freshdesk geocodio gitbook greenhouse groundcover hasura hevo hightouch iterable kandji "
    "keen knock kong lago lattice lever lokalise mandrill marqeta memberstack metabase mezmo mintlify mollie n8n northflank nylas "
    "omnisend optimizely oxylabs paperspace plausible portainer prismic productboard quay recurly redash rudderstack sanity scrapfly "
    "sendbird shodan shortcut smartsheet spacelift statuspage storyblok strapi svix tableau tatum travis ubidots unsplash vimeo "
    "wakatime webex xero yext zenrows"
)
FRAMES = """my {v} key {x}
{v} api key: {x}
the {v} token is {x}
{V}_TOKEN={x}
export {V}_SECRET='{x}'
{v} secret {x}
use {x} as the {v} key
{x} is the {v} token
for {v} we have the key {x}, please keep it
the key of the {v} sandbox is {x}
token for {v} (staging): {x}
{v} 的密钥是 {x}
{v} 的 key：{x}
{v} access token: `{x}`
"{v}ApiKey": "{x}"
header X-{v}-Key: {x}
I put the {v} key into .env: {x}
our {v} personal access token {x} expires in May"""
SHAPES = "<h32> <h40> <h64> <A20> <A24> <A32> <A40> <A48> <b32> <b43> <l32> <h8>-<h4>-<h4>-<h4>-<h12> <A16>"
PARTS = "_ - _live_ _sk_ _pat_ v1_"


def spoken(count: int) -> list[str]:
    """Sentences that name a vendor and a key of it, all parts drawn; four in ten keys have a prefix that no table has."""
    chance = random.Random(11)
    vendors, frames, shapes, parts = VENDORS.split(), FRAMES.split("\n"), SHAPES.split(), PARTS.split()
    rows = []
    for _ in range(count):
        value = chance.choice(shapes)
        if chance.random() < 0.4:
            value = (
                "".join(chance.choices("bcdfghjklmnprstvwxz", k=3)) + chance.choice(parts) + chance.choice(shapes[:8])
            )
        vendor = chance.choice(vendors)
        rows.append(chance.choice(frames).format(v=vendor, V=vendor.upper(), x=value))
    return drawn("\n".join(rows))
