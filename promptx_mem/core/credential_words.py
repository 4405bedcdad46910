"""Credentials by the words around them, in Chinese and English, and by the commands that take them.

A row: kind, marks (case-folded; one of them is in every text that the expression matches), expression. Where it has a
group, that is the value. Every expression is bounded, so that hostile text costs time in proportion to its length.
"""

Form = tuple[str, tuple[str, ...], str]

_LOGIN_WORDS = r"(?:pass(?:word|wd|phrase|code)s?|pwd|[_-]pass|(?<![a-z])(?:pw|pswd?)|密码|密碼|口令)[0-9]?"
_KEY_WORDS = (
    r"(?:(?:api|app|application|access|auth|account|secret|private|pre-?shared|shared"
    r"|signing|encryption|master"
    r"|subscription|license|service|admin|deploy)[ _-]?(?:access[ _-]?)?key"
    r"|(?:client|app)[ _-]?secret|secret|token|(?<![a-z])psk|密钥|密鑰|秘钥|私钥|私鑰|令牌"
    r"|授权码|授權碼|凭证|凭据)[0-9]?"
)
_CLOSING = r"[\"'`*\])}」』”’]{0,3}(?:[（(][^()（）\n]{0,20}[)）])?"
_LINK = (
    r"(?:\s{0,3}(?:[:=]{1,3}>?|[：＝→|]|->)|\s(?:is|was)\b:?"
    r"|\s?(?:已?(?:修?改|重?设|更?换|更新|重置|设置)(?:成了?|为)|是|为|就是)[:：]?)\s{0,3}"
)
_QUOTE = r"[\"'`“‘「『]"
VALUE = r"[0-9A-Za-z!#$%&*+./:=?@^_~|\\-]"
NOT_A_VALUE = (
    r"(?![/~.$%&*]|(?i:https?:|id_|v[0-9][0-9.]*(?:alpha|beta|rc)?[0-9]{0,3}(?![0-9A-Za-z])|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]+[a-z]{0,2}-[a-z]"
    r"|(?:[0-9]+(?:chars?|characters?|bits?|bytes?|days?|hours?|px|ms|mb|kb)|sha-?[0-9]+"
    r"|md5|aes-?[0-9]*|rsa-?[0-9]*"
    r"|[ehpr]s[0-9]{3}|argon2[a-z]*|pbkdf2|base[0-9]{2}|utf-?[0-9]+[a-z0-9]*|oauth-?"
    r"[0-9.]+|x?ed25519|x25519"
    r"|1password|sm[234]|rc4|tls-?[0-9.]*|http2|k8s|cl100k_base|o200k_base|i18n|l10n)(?!"
    r"[0-9A-Za-z]))"
    # An environment variable's name, an attribute of something, a file: where it is, not what it is.
    r"|[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,8}(?![0-9A-Za-z_!-])|[A-Za-z_]\w{0,40}\."
    r"[A-Za-z_]|arn:|s3://|spiffe:"
    r"|[\w./-]{1,80}\.(?:ya?ml|json|env|pem|txt|md|toml|ini|py|js|ts|go)(?![0-9A-Za-z]))"
)
MIXED = r"(?=[A-Za-z!-/:-@^_~|\\]{0,64}[0-9])(?=[0-9!-/:-@^_~|\\]{0,64}[A-Za-z])"
SYMBOL = r"(?=[!@#^+?]?[0-9A-Za-z._-]{1,64}[!@#$%^&*?+~][0-9A-Za-z])(?=[0-9!-/:-@^_~|\\]{0,64}[A-Za-z])"
CALL = r"(?![(\[])"
_STRONG = rf"{_QUOTE}?{NOT_A_VALUE}(?:{MIXED}|{SYMBOL}){VALUE}{{6,200}}+{CALL}"
_UNITS = (
    r"(?!\s?(?:[位个個次天字小分秒年月日号條条种元行版轮比]|chars?|bytes?|bits?|digits?|days?|hours?|min|sec"
    r"|times|rounds))"
)
_NUMBER = rf"[0-9]{{4,32}}+(?![-./:]?[0-9A-Za-z%]){_UNITS}"
NO_VARIABLE = r"(?![$<{*%\[(])"

ASSIGNED_PASSWORD = (
    rf"(?i:{_LOGIN_WORDS}){_CLOSING}(?:(?:{_LINK}|\s{{1,2}}){_STRONG}"
    rf"|{_LINK}{_QUOTE}?{_NUMBER}"
    rf"|\s{{0,3}}[:=：＝]\s{{0,3}}{_QUOTE}"
    r"(?!(?i:string|password|passwd|secret|required|optional|hidden|example|forgot)\W)"
    r"[A-Za-z]{6,64}[\"'`”’」』])"
    rf"|(?i:(?:chang|set|updat|rotat)[^.\n]{{0,40}}?{_LOGIN_WORDS}\sto\s){_STRONG}"
    r"|(?i:(?<![a-z])(?:password|passphrase|passcode|pwd)\s(?:of|for|on|to|at)\s[^\n.,;:]{1,40}?\s(?:is|was|=)\s)"
    rf"{_STRONG}"
)
"""A password word, what links it to a value, and a value that no word of prose is."""
ASSIGNED_KEY = (
    rf"(?i:{_KEY_WORDS}){_CLOSING}(?:{_LINK}(?:{_QUOTE}|"
    rf"(?={VALUE}{{8}})){NOT_A_VALUE}{MIXED}{VALUE}{{6,200}}+{CALL}"
    rf"|\s{{1,2}}{_QUOTE}?{NOT_A_VALUE}(?=(?:[A-Za-z_+/=-]{{0,40}}[0-9]){{3}})"
    rf"[0-9A-Za-z_+/=-]{{16,200}}+(?![(\[.]))"
)
BEARER = r"(?i:bearer)\s{1,3}(?=[A-Za-z._~+/-]{0,64}[0-9])[0-9A-Za-z._~+/=-]{20,}"
KEY_VARIABLE = (
    r"(?<![0-9A-Za-z_])(?!(?:CACHE|PRIMARY|FOREIGN|SORT|PARTITION|PUBLIC|ROW|HASH)_)(?:"
    r"[A-Z0-9]{1,30}_){1,5}KEY"
    rf"[\"']?\s?[:=]\s?[\"']?{NOT_A_VALUE}{MIXED}[0-9A-Za-z_+/=-]{{16,200}}+{CALL}"
)

_SPOKEN = (
    r"(?:密码|密碼|口令|授权码|授權碼|验证码|驗證碼|校验码|动态码|提取码|解压码|访问码|恢复码|备用码|备份码|安全码|通行码|登录码|解锁码|密保答案|"
    r"(?:PIN|pin|Pin)\s?码)"
)
_SPOKEN_LINK = (
    r"(?:\s{0,3}[:=：＝→]\s{0,3}|\s{0,3}->\s{0,3}|\s?(?:已?经?(?:修?改|重?设|更?换|更新|重置|设置)(?:成了?|为)"
    r"|(?:就|都|还|仍|仍然|一直|依然)?是|为|叫)\s{0,3}[:：]?\s{0,3})"
)
_TECHNICAL = (
    r"(?!(?i:bcrypt|scrypt|string|required|optional|vault|keychain|bitwarden|plaintext"
    r"|encrypted|hashed|kerberos"
    r"|oauth|ldap|saml|none|null|true|false|undefined|password|passwd|secret|token|example"
    r"|varchar|bytes|ascii"
    r"|unicode|base|default|empty|input|hidden|lastpass|keepass|onepassword|admin)(?![A-Za-z]))"
)
_CLAUSE_ENDS = r"(?=\s{0,3}(?:[。，,；;！!.）)」』”\"'`\n]|$|了))"
_SAYS = r"(?:不|请|必|至|需|错|忘|重|找|修|显|确|输|旧|新|与|和|为空|字段|长度|已|未|无|过)"
CHINESE_PASSWORD = (
    rf"{_SPOKEN}[0-9]?(?:{_CLOSING}{_SPOKEN_LINK}?|\s{{1,3}})\s{{0,2}}{_QUOTE}?(?:{_NUMBER}"
    rf"|{NOT_A_VALUE}(?:{MIXED}|{SYMBOL}){VALUE}{{4,200}}+{CALL}{_UNITS})"
    rf"|{_SPOKEN}{_CLOSING}{_SPOKEN_LINK}{_TECHNICAL}([A-Za-z]{{5,64}}+){_CLAUSE_ENDS}"
    rf"|(?<![“\"「『‘'`]){_SPOKEN}{_SPOKEN_LINK}?\s{{0,2}}[“「『\"'‘](?!{_SAYS})("
    rf"[一-鿿0-9A-Za-z]{{3,30}}+)[”」』\"'’]"
    rf"|{_SPOKEN}{_CLOSING}{_SPOKEN_LINK}[0-9]{{3}}{_CLAUSE_ENDS}"
    rf"|{_SPOKEN}{_SPOKEN_LINK}?\s{{0,2}}(?:[左右]转?\s?[0-9]{{1,3}}[\s，,、]{{0,2}}){{2,}}"
    rf"|口令[:：]\s{{0,2}}(?!{_SAYS})([一-鿿]{{5,16}}+){_CLAUSE_ENDS}"
)
_CODE_WORDS = (
    r"(?:(?:verification|security|unlock|access|auth(?:entication|orization)?|recovery"
    r"|backup|one-?time|sms|login"
    r"|2fa|mfa|otp|totp|confirmation|pin|pass)[ -]?(?:code|number|key|secret|seed)s?|otp|"
    r"(?-i:PIN)|passcode|cvv|cvc)"
)
SHORT_CODE = (
    rf"(?i:(?<![A-Za-z]){_CODE_WORDS})(?:\s?[:=：]|\s(?:is|are|was)\b:?|(?=\s))\s{{0,2}}{_QUOTE}?"
    rf"(?:[0-9]{{4,10}}+(?![-./:]?[0-9A-Za-z%]){_UNITS}|(?=[A-Za-z-]{{0,20}}[0-9])"
    rf"[0-9A-Za-z]{{4,8}}(?:-[0-9A-Za-z]{{4,8}}){{1,7}}"
    r"|[A-Z2-7]{16,64}(?![0-9A-Za-z])|(?<=[:=：] )[0-9]{3,4}(?![0-9A-Za-z.]))"
    r"|(?i:(?<![A-Za-z])pin\s?(?:is|was|[:=：])\s?)[0-9]{4,8}(?![-./:]?[0-9A-Za-z])"
)
LOGIN_PAIR = (
    r"(?i:(?<![a-z])(?:log[ -]?in|sign[ -]?in|credentials?|creds|user/pass(?:word)?)|账号密码|账密|登录)"
    r"(?:\s{0,2}[:=：]|\s(?:is|are|as|with)\b|是)?\s{0,2}[\"'`]?[0-9A-Za-z_.@-]{2,40}\s{0,2}"
    r"[/:]\s{0,2}"
    rf"{NOT_A_VALUE}(?:{MIXED}|{SYMBOL})({VALUE}{{5,100}}+){CALL}"
)
SAID_LOGIN = (
    r"(?i:(?<![a-z])(?:pass(?:word|phrase|code))\s(?:is|was|:))\s?"
    r"(?!(?i:wrong|weak|strong|unknown|default|secret|safe|long|short|there|below|above"
    r"|here|blank|none|null|fine|okay|same"
    r"|yours|random|empty|correct|public|private|plain|clear|simple|unique|fresh|stale"
    r"|valid|invalid|mandatory|expired"
    r"|string|bytes|plaintext|password|vault|bcrypt|scrypt|kept|reset|lost|back|gone|known"
    r"|hers|mine|theirs|text"
    r"|[a-z]{1,40}(?:ed|ing|able|ible|ory|ive|al|ent|ant|ect|id|ous|ly|en))(?![A-Za-z]))"
    r"[\"'`]?([a-z]{5,40}+)[\"'`]?(?=\s{0,2}(?:[.!,;]?\s{0,2}$|[.!;]\s))"
    r"|(?i:pass[ -]?phrase)s?\s?(?:[:=]|is\b)\s{0,2}[\"'`“]((?:[A-Za-z]{2,12}[ -]){2,9}"
    r"[A-Za-z]{2,12})[\"'`”]"
    r"|(?i:pass[ -]?phrase)\s?[:=]\s{0,2}(?!(?:stored|kept|inside|with|from|must|never"
    r"|this|that)\b)"
    r"((?:[a-z]{4,12}[ -]){3,9}[a-z]{4,12})(?![ a-z])"
)
HEX_KEY = (
    r"(?i:private[ _-]?key|priv[ _-]?key|secret[ _-]?key|signing[ _-]?key|私钥|私鑰|密钥|seed)"
    r"[^\n0-9]{0,24}?(?:0x)?[0-9a-fA-F]{64,200}+(?![0-9A-Fa-f])"
)
SEED_WORDS = (
    r"(?:助记词|助記詞)[^\n0-9A-Za-z一-鿿]{0,6}(?:(?:有|是|为|如下|备份)[^\n0-9A-Za-z一-鿿]{0,4}){0,3}"
    r"(?:\d{0,2}[.)、]?\s?[a-z]{3,8}[\s,，、]{1,3}){5,}|(?:助记词|助記詞)[\s:：是为]{1,4}(?:[一-鿿]{1,4}"
    r"[ ,，、]{1,2}){5,}"
)

FORMS: tuple[Form, ...] = (
    ("Password", ("pass", "pwd", "pw", "psw", "密码", "密碼", "口令"), ASSIGNED_PASSWORD),
    (
        "Password",
        (
            "密码",
            "密碼",
            "口令",
            "权码",
            "權碼",
            "证码",
            "證碼",
            "校验码",
            "动态码",
            "提取码",
            "解压码",
            "访问码",
            "恢复码",
            "备用码",
            "备份码",
            "安全码",
            "通行码",
            "登录码",
            "解锁码",
            "密保答案",
            "pin",
        ),
        CHINESE_PASSWORD,
    ),
    ("Password", ("password", "passphrase", "passcode", "pass phrase", "pass-phrase"), SAID_LOGIN),
    (
        "Password",
        ("log in", "login", "log-in", "sign in", "sign-in", "signin", "cred", "user/pass", "密", "登录"),
        LOGIN_PAIR,
    ),
    ("Code", ("code", "number", "otp", "pin", "cvv", "cvc", "2fa", "mfa"), SHORT_CODE),
    (
        "Secret",
        (
            "key",
            "secret",
            "token",
            "psk",
            "密钥",
            "密鑰",
            "秘钥",
            "私钥",
            "私鑰",
            "令牌",
            "授权码",
            "授權碼",
            "凭证",
            "凭据",
        ),
        ASSIGNED_KEY,
    ),
    ("Secret", ("bearer",), BEARER),
    ("Secret", ("_key",), KEY_VARIABLE),
    ("Private Key", ("key", "私钥", "私鑰", "密钥", "seed"), HEX_KEY),
    ("Seed Phrase", ("助记词", "助記詞"), SEED_WORDS),
)
