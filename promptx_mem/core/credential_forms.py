"""Tables of credentials: vendors' tokens, commands, headers, variables, hashes, and words before a random value.

This module is loaded only if core.credentials has found a mark or a long run. Every regular expression is bounded or
possessive, so its running time is linear in the length of the text.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from promptx_mem.core.text import pattern
from promptx_mem.data import word_lists

_LOGIN_WORDS = r"(?:pass(?:word|wd|phrase|code)s?|pwd|[_-]pass|(?<![a-z])(?:pw|pswd?)|密码|密碼|口令)[0-9]?"
_KEY_WORDS = (
    r"(?:(?:api|app|application|access|auth|account|secret|private|pre-?shared|shared|signing|encryption|master"
    r"|subscription|license|service|admin|deploy)[ _-]?(?:access[ _-]?)?key|(?:client|app)[ _-]?secret"
    r"|(?<![0-9]:)secret|(?<!page)(?<!page[ _-])(?<!cursor[ _-])token|(?<![a-z])psk|密钥|密鑰|秘钥|私钥|私鑰|令牌"
    r"|授权码|授權碼|凭证|凭据)[0-9]?"
)
_CLOSING = r"[\"'`*\])}」』”’]{0,3}(?:[(][^()\n]{0,20}[)])?"
_LINK = (
    r"(?:\s{0,3}(?:[:=]{1,3}>?|[→|]|->)|\s(?:is|was)\b:?"
    r"|\s?(?:已?(?:修?改|重?设|更?换|更新|重置|设置)(?:成了?|为)|是|为|就是):?"
    r"|\s?[是为]?\s?[0-9四五六七八十]{1,2}\s?位(?:数字?)?:?)\s{0,3}"
)
_QUOTE = r"[\"'`“‘「『]"
VALUE = r"[0-9A-Za-z!#$%&*+./:=?@^_~|\\-]"
NOT_A_VALUE = (
    r"(?![/~.$%&*]|pk_(?:live|test)_|phc_|sb_publishable_|pk-lf-|[A-Z]\w{3,40}(?:Key|Token|Secret)s?(?!\w)|(?ai:https?:|id_|v[0-9][0-9.]*(?:alpha|beta|rc)?[0-9]{0,3}(?![0-9A-Za-z])"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]+[a-z]{0,2}-[a-z]"
    r"|(?:[0-9]+(?:chars?|characters?|bits?|bytes?|days?|hours?|px|ms|mb|kb)|sha-?[0-9]+"
    r"|md5|aes-?[0-9]*|rsa-?[0-9]*"
    r"|[ehpr]s[0-9]{3}|argon2[a-z]*|pbkdf2|base[0-9]{2}|utf-?[0-9]+[a-z0-9]*|oauth-?"
    r"[0-9.]+|x?ed25519|x25519"
    r"|1password|sm[234]|rc4|tls-?[0-9.]*|http2|k8s|cl100k_base|o200k_base|i18n|l10n)(?!"
    r"[0-9A-Za-z]))"
    # Not a credential, but the name of an environment variable, an attribute or a file that contains a credential.
    r"|[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,8}(?![0-9A-Za-z_!-])|[A-Za-z_]\w{0,40}\."
    r"[A-Za-z_]|arn:|s3://|spiffe:"
    r"|[\w./-]{1,80}\.(?:ya?ml|json|env|pem|txt|md|toml|ini|py|js|ts|go)(?![0-9A-Za-z]))"
)
MIXED = r"(?=[A-Za-z!-/:-@^_~|\\]{0,64}[0-9])(?=[0-9!-/:-@^_~|\\]{0,64}[A-Za-z])"
SYMBOL = r"(?=[!@#^+?]?[0-9A-Za-z._-]{1,64}[!@#$%^&*?+~][0-9A-Za-z])(?=[0-9!-/:-@^_~|\\]{0,64}[A-Za-z])"
CALL = r"(?![(\[])"
_STRONG = rf"{_QUOTE}?{NOT_A_VALUE}(?:{MIXED}|{SYMBOL}){VALUE}{{6,200}}+{CALL}"
_UNITS = (
    r"(?!\s?(?:[位个個次天字小分秒年月日号條条种元行版轮比]|chars?|bytes?|bits?|digits?|days?|hours?|min|sec|times"
    r"|rounds))"
)
_NUMBER = rf"[0-9]{{4,32}}+(?![-./:]?[0-9A-Za-z%]){_UNITS}"
NO_VARIABLE = r"(?![$<{*%\[(])"
_ADVERBS = r"(?:\s(?:now|currently|still|again|both|just)){0,2}"
_VERB = (
    rf"(?:,\s[^\n.,;:]{{1,30}},)?{_ADVERBS}(?::|\s(?:is|was|are|=)|\s(?:is|was|were|has been|have been|got)"
    rf"\s(?:(?:re)?set|changed|updated|rotated)\sto){_ADVERBS}\s(?:[\w.-]{{2,20}}\sand\s)?"
)
"""Expression for words between "password" and its value, as in "is now", and perhaps another value before it."""

ASSIGNED_PASSWORD = (
    rf"(?:(?ai:{_LOGIN_WORDS}){_CLOSING}(?:{_LINK}|\s{{1,2}})"
    rf"|(?i:(?:chang|set|updat|rotat)[^.\n]{{0,40}}?{_LOGIN_WORDS}\sto\s)"
    rf"|(?i:(?<![a-z])(?:password|passphrase|passcode|pwd)s?(?:\s(?:of|for|on|to|at)\s[^\n.,;:]{{1,40}}?)?{_VERB}))"
    rf"{_STRONG}"
    rf"|(?ai:{_LOGIN_WORDS}){_CLOSING}(?:{_LINK}{_QUOTE}?{_NUMBER}|\s{{0,3}}[:=]\s{{0,3}}{_QUOTE}"
    r"(?!(?ai:string|password|passwd|secret|required|optional|hidden|example|forgot)\W)"
    r"[A-Za-z]{6,64}[\"'`”’」』])"
)
"""Expression for a word that means a password, a separator, and a value that is not an ordinary word."""
ASSIGNED_KEY = (
    rf"(?ai:{_KEY_WORDS}){_CLOSING}(?:{_LINK}(?:{_QUOTE}|"
    rf"(?={VALUE}{{8}})){NOT_A_VALUE}{MIXED}{VALUE}{{6,200}}+{CALL}"
    rf"|\s{{1,2}}{_QUOTE}?{NOT_A_VALUE}(?=(?:[A-Za-z_+/=-]{{0,40}}[0-9]){{3}})"
    rf"[0-9A-Za-z_+/=-]{{16,200}}+(?![(\[.]))"
)
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
    r"(?:\s{0,3}[:=→]\s{0,3}|\s{0,3}->\s{0,3}|\s?(?:已?经?(?:修?改|重?设|更?换|更新|重置|设置)(?:成了?|为)"
    r"|(?:就|都|还|仍|仍然|一直|依然)?是|为|叫)\s{0,3}[:]?\s{0,3})"
)
_AMONG = (
    r"(?:现在|目前|当前|暂时|临时|默认|初始|最后|后来|统一|全部|分别|[都也就还仍均]|[跟和与同][^。;!?\n]{1,12}(?:一样|相同|一致)|[,、\s]){1,4}"
    r"(?:改成了?|改为|换成了?|换为|设成|设为|是|为|叫|用的是)\s?:?\s?(?:[\w.-]{2,20}\s?[和、/]\s?|[一-鿿]{1,6}\s?)?"
)
"""Expression for words between 密码 and its value, as in 密码现在是, and perhaps another value before it."""
_TECHNICAL = (
    r"(?!(?ai:bcrypt|scrypt|string|required|optional|vault|keychain|bitwarden|plaintext|encrypted|hashed|kerberos|oauth"
    r"|ldap|saml|none|null|true|false|undefined|password|passwd|secret|token|example|varchar|bytes|ascii|unicode|base"
    r"|default|empty|input|hidden|lastpass|keepass|onepassword|admin)(?![A-Za-z]))"
)
_CLAUSE_ENDS = r"(?=\s{0,3}(?:[。,;!.)」』”\"'`\n]|$|了))"
_SAYS = r"(?:不|请|必|至|需|错|忘|重|找|修|显|确|输|旧|新|与|和|为空|字段|长度|已|未|无|过)"
CHINESE_PASSWORD = (
    rf"{_SPOKEN}[0-9]?(?:{_CLOSING}{_SPOKEN_LINK}?|\s{{1,3}})\s{{0,2}}{_QUOTE}?(?:{_NUMBER}"
    rf"|{NOT_A_VALUE}(?:{MIXED}|{SYMBOL}){VALUE}{{4,200}}+{CALL}{_UNITS})"
    rf"|{_SPOKEN}{_CLOSING}{_AMONG}{_QUOTE}?(?:[0-9]{{6,12}}+{_CLAUSE_ENDS}"
    rf"|{NOT_A_VALUE}(?:{MIXED}|{SYMBOL}){VALUE}{{6,200}}+{CALL}{_UNITS})"
    rf"|{_SPOKEN}{_CLOSING}{_SPOKEN_LINK}{_TECHNICAL}([A-Za-z]{{5,64}}+){_CLAUSE_ENDS}"
    rf"|(?<![“\"「『‘'`]){_SPOKEN}{_SPOKEN_LINK}?\s{{0,2}}[“「『\"'‘](?!{_SAYS})("
    rf"[^\W_]{{3,30}}+)[”」』\"'’]"
    rf"|{_SPOKEN}{_CLOSING}{_SPOKEN_LINK}[0-9]{{3}}{_CLAUSE_ENDS}"
    rf"|{_SPOKEN}{_SPOKEN_LINK}?\s{{0,2}}(?:[左右]转?\s?[0-9]{{1,3}}[\s，,、]{{0,2}}){{2,}}"
    rf"|口令[:]\s{{0,2}}(?!{_SAYS})([^\W\d_A-Za-z]{{5,16}}+){_CLAUSE_ENDS}"
)
_CODE_WORDS = (
    r"(?:(?:verification|security|unlock|access|auth(?:entication|orization)?|recovery|backup|one-?time|sms|login|2fa"
    r"|mfa|otp|totp|confirmation|pin|pass)[ -]?(?:code|number|key|secret|seed)s?|otp|(?-i:PIN)|passcode|cvv|cvc)"
)
SHORT_CODE = (
    rf"(?ai:(?<![A-Za-z]){_CODE_WORDS})(?:\s?[:=]|\s(?:is|are|was)\b:?|(?=\s))\s{{0,2}}{_QUOTE}?"
    rf"(?:[0-9]{{4,10}}+(?![-./:]?[0-9A-Za-z%]){_UNITS}|(?=[A-Za-z-]{{0,20}}[0-9])"
    rf"[0-9A-Za-z]{{4,8}}(?:-[0-9A-Za-z]{{4,8}}){{1,7}}"
    r"|[A-Z2-7]{16,64}(?![0-9A-Za-z])|(?<=[:=] )[0-9]{3,4}(?![0-9A-Za-z.]))"
    r"|(?i:(?<![A-Za-z])pin\s?(?:is|was|[:=])\s?)[0-9]{4,8}(?![-./:]?[0-9A-Za-z])"
)
LOGIN_PAIR = (
    r"(?i:(?<![a-z])(?:log[ -]?in|sign[ -]?in|credentials?|creds|user/pass(?:word)?)|账号密码|账密|登录)"
    r"(?:\s{0,2}[:=]|\s(?:is|are|as|with)\b|是)?\s{0,2}[\"'`]?[0-9A-Za-z_.@-]{2,40}\s{0,2}"
    r"[/:]\s{0,2}"
    rf"{NOT_A_VALUE}(?:{MIXED}|{SYMBOL})({VALUE}{{5,100}}+){CALL}"
)
SAID_LOGIN = (
    r"(?i:(?<![a-z])(?:pass(?:word|phrase|code))\s(?:is|was|:))\s?(?!(?i:wrong|weak|strong|unknown|default|secret|safe"
    r"|long|short|there|below|above|here|blank|none|null|fine|okay|same|yours|random|empty|correct|public|private"
    r"|plain|clear|simple|unique|fresh|stale|valid|invalid|mandatory|expired|string|bytes|plaintext|password|vault"
    r"|bcrypt|scrypt|kept|reset|lost|back|gone|known|hers|mine|theirs|text|[a-z]{1,40}(?:ed|ing|able|ible|ory|ive|al"
    r"|ent|ant|ect|id|ous|ly|en))(?![A-Za-z]))[\"'`]?([a-z]{5,40}+)[\"'`]?(?=\s{0,2}(?:[.!,;]?\s{0,2}$|[.!;]\s))"
    r"|(?i:pass[ -]?phrase)s?\s?(?:[:=]|is\b)\s{0,2}[\"'`“]((?:[A-Za-z]{2,12}[ -]){2,9}[A-Za-z]{2,12})[\"'`”]"
    r"|(?i:pass[ -]?phrase)\s?[:=]\s{0,2}(?!(?:stored|kept|inside|with|from|must|never|this"
    r"|that)\b)((?:[a-z]{4,12}[ -]){3,9}[a-z]{4,12})(?![ a-z])"
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

HEADER = (
    r"(?i:authorization[\"']?\s?[:=]\s?[\"']?(?:basic|bearer|token|apikey|digest|ssws"
    r"|key)\s)(?!(?i:base64|your|[a-z_]{1,20}_token))"
    r"(?=[a-z._~+/-]{0,64}[0-9A-Z=])(?![A-Z_]{1,64}(?![0-9A-Za-z]))([0-9A-Za-z._~+/=-]{8,}+)"
    r"|(?i:(?<![a-z])basic)\s(?=[0-9A-Z+/]{0,40}[a-z])(?=[0-9a-z+/]{0,40}[A-Z])("
    r"[0-9A-Za-z+/]{11,}={1,2}|[0-9A-Za-z+/]{24,})(?![0-9A-Za-z])"
    r"|(?i:set-cookie|cookie|jsessionid|phpsessid|sessdata|connect\.sid|sessionid)"
    r"[\"']?\s?[:=]\s?[\"']?(?:[\w.-]{1,40}=)?"
    r"(?=[A-Za-z%._-]{0,64}[0-9])([0-9A-Za-z%._-]{20,}+)"
)
_WORDS_BEFORE = r"[^\n|;]{0,160}?"
COMMAND = (
    rf"\b(?:curl|https?|wget|lftp)\b{_WORDS_BEFORE}\s(?:-[a-zA-Z]{{0,4}}u|-U|--"
    rf"(?:proxy-)?user|-a|--auth)[ =]?[\"']?"
    rf"[^\s:,\"'$<{{]{{0,64}}[:,]{NO_VARIABLE}([^\s\"'@$<{{]{{2,100}})"
    rf"|\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mongo|mongosh|mongodump"
    rf"|sqlcmd)\b{_WORDS_BEFORE}\s(?:-p(?=\S)|-P\s|--password[= ])"
    rf"[\"']?{NO_VARIABLE}(?!-)(?![0-9]{{4,5}}(?![0-9A-Za-z]))([^\s\"']{{3,100}})"
    rf"|\b(?:sshpass\s{{1,3}}-p|redis-cli\b{_WORDS_BEFORE}\s(?:-a|--pass)|ldap(?:search"
    rf"|modify|add)\b{_WORDS_BEFORE}\s-w|(?:un)?zip\b{_WORDS_BEFORE}\s-P"
    rf"|7za?\b{_WORDS_BEFORE}\s-p(?=\S)|mosquitto_(?:pub|sub)\b{_WORDS_BEFORE}\s-P"
    rf"|openssl\b{_WORDS_BEFORE}\s(?:-k|-pass(?:in|out)?\spass:|-pass:)"
    rf"|ngrok\b{_WORDS_BEFORE}\s(?:add-)?authtoken|htpasswd\s-[a-zA-Z]{{0,3}}b"
    rf"[a-zA-Z]{{0,3}}\s\S{{1,60}}\s\S{{1,40}})\s?[\"']?{NO_VARIABLE}(?![-或、，])("
    rf"[^\s\"'$<{{]{{3,100}})"
    rf"|\b[a-z]{{2,12}}\slogin\b{_WORDS_BEFORE}\s(?:-p|--password|--token)[ =]"
    rf"[\"']?{NO_VARIABLE}(?!-)([^\s\"']{{4,100}})"
    rf"|\s--?(?:password|passwd|pass|passphrase|http-password|ftp-password|token|auth-token"
    rf"|access-token|api-key|apikey|secret|client-secret|secret-key)"
    rf"[ =][\"']?{NOT_A_VALUE}(?:{MIXED}|{SYMBOL})({VALUE}{{5,200}}+){CALL}"
    r"|\becho\s[\"']?([^\s\"'$<|]{6,200})[\"']?\s?\|\s?[^\n|]{0,80}--password-stdin"
    r"|\b(?:smbclient|rpcclient|mount)\b[^\n|;]{0,160}?\s-U\s?[\"']?[\w.\\-]{1,40}%("
    r"[^\s\"']{4,100})"
    rf"|\b[a-z-]{{2,20}}\slogin\s(?:--?[a-z-]{{1,20}}\s){{0,3}}{MIXED}([0-9A-Za-z]{{30,200}}+)(?=\s|$)"
    r"|\bnet\suse\s(?:[A-Za-z*]:?\s)?(?:\\\\|//)[^\s:]{3,100}\s(?:/user:\S{1,60}\s)?(?![/*<$%])(\S{4,100})"
    r"|\becho\s{1,2}(?:-n\s)?[\"']?(?![$<{])(?:[\w-]{1,32}:)?([^\s\"'|]{4,64})"
    r"[\"']?\s?\|\s?(?:sudo\s(?:-S|chpasswd)|chpasswd)"
)
_NOT_SET = (
    r"(?!(?i:password|passwd|secret|changeme|example|null|none|true|false|required|placeholder|string|todo|your\w*"
    r"|getpass|os|env|settings|config|self|args|user\w*|hidden)(?![0-9a-z]))"
)
VARIABLE = (
    rf"(?<![0-9A-Za-z])[A-Z0-9_]{{0,40}}(?:PASSWORD|PASSWD|PASSPHRASE|_PWD|_PASS|SSHPASS"
    rf"|REDISCLI_AUTH)=[\"']?{NO_VARIABLE}{_NOT_SET}([^\s\"'$<{{]{{4,100}})"
    rf"|(?i:(?:^|[;&?\s])(?:password|pwd)=){NO_VARIABLE}{_NOT_SET}([^\s;&\"'$<{{"
    rf"(),]{{4,100}})(?![(\[])(?=[;&])"
    r"|\bmachine\s{1,3}\S{1,100}\s{1,3}login\s{1,3}\S{1,100}\s{1,3}password\s{1,3}(?!"
    r"[$<{])(\S{3,100})"
    r"|(?<![0-9A-Za-z.-])[0-9A-Za-z.*-]{1,80}:(?:[0-9]{4,5}|\*):[\w*-]{1,40}:[\w*-]{1,40}:"
    rf"{MIXED}([^\s:]{{5,100}}+)(?=\s|$)"
)
COMMAND_MARKS = (
    "curl|http|wget|lftp|mysql|maria|mongo|sqlcmd|sshpass|redis-cli|ldap|zip|7z|mosquitto|openssl|ngrok"
    "|htpasswd| login| --pass| -pass|--token|-token|-key|apikey|secret|net use|smbclient|rpcclient|mount"
    "|sudo -s|chpasswd"
)


def _rows(name: str) -> list[list[str]]:
    """Return the rows of a list in credential_forms.txt. ` | ` separates columns; in expressions, `|` has no spaces."""
    return [row.split(" | ", 2) for row in word_lists("core/credential_forms.txt")[name].splitlines()]


_COMPOSED = (
    ("Password", "pass|pwd|pw|psw|密码|密碼|口令", ASSIGNED_PASSWORD),
    (
        "Password",
        "密码|密碼|口令|权码|權碼|证码|證碼|校验码|动态码|提取码|解压码|访问码|恢复码|备用码|备份码|安全码|通行码|登录码|解锁码|密保答案|pin",
        CHINESE_PASSWORD,
    ),
    ("Password", "password|passphrase|passcode|pass phrase|pass-phrase", SAID_LOGIN),
    ("Password", "log in|login|log-in|sign in|sign-in|signin|cred|user/pass|密|登录", LOGIN_PAIR),
    ("Code", "code|number|otp|pin|cvv|cvc|2fa|mfa", SHORT_CODE),
    ("Secret", "key|secret|token|psk|密钥|密鑰|秘钥|私钥|私鑰|令牌|授权码|授權碼|凭证|凭据", ASSIGNED_KEY),
    ("Secret", "_key", KEY_VARIABLE),
    ("Private Key", "key|私钥|私鑰|密钥|seed", HEX_KEY),
    ("Seed Phrase", "助记词|助記詞", SEED_WORDS),
    ("Password", "password|passwd|passphrase|_pwd|_pass|pwd=|sshpass|redisc|:543|:643|:*:", VARIABLE),
    ("Password", COMMAND_MARKS, COMMAND),
    ("Secret", "authorization|basic |cookie|sessionid|sessid|sessdata|connect.sid", HEADER),
)
FORMS = [(kind, marks.split("|"), form) for kind, marks, form in (*_COMPOSED, *_rows("forms"))]
"""Rows: kind, case-folded marks, expression. The value is the expression's group, or else the whole match."""

UNMARKED = _rows("without marks")
"""Kind and expression, without marks (see FORMS). Tried if a text has 27 of [A-Za-z0-9_-] in a row."""

PREFIXES = [(kind, beginnings.split(), tail) for kind, beginnings, tail in _rows("prefixes")]
"""Rows: kind, vendors' prefixes, and a rule for the characters after one (key of CLASSES, number, perhaps expression).

Without an expression, the number is a minimum, lower than vendors document: the end may not have been copied.
"""

_RUN = r"[\dA-Za-z_-]{27}"

CLASSES = {
    "A": "[0-9A-Za-z]",
    "W": "[0-9A-Za-z_-]",
    "B": "[0-9A-Za-z_+/=.~%-]",
    "R": "[0-9A-Za-z_+/=.~%-]",  # these must look random, since the prefix is not enough
    "H": "[0-9A-Fa-f]",
    "U": "[0-9A-Z]",
}


def expression(beginnings: Iterable[str], tail: str) -> str:
    """Return the regular expression for a row of PREFIXES. Its only group is the part after the prefix."""
    digits = len(tail[1:]) - len(tail[1:].lstrip("0123456789"))
    least, rest = tail[1 : 1 + digits], tail[1 + digits :]
    many = f"{{{least}}}" if rest else f"{{{least},1000}}+"
    before = "0-9A-Za-z_-" if tail[0] == "R" else "0-9A-Za-z"
    return rf"(?<![{before}])(?:{'|'.join(map(re.escape, beginnings))})({CLASSES[tail[0]]}{many}{rest})"


def kinds(text: str, whole: str) -> Iterator[str]:
    """Yield the kind of each table row that matches a text. `whole`: the text with its lines joined, for prefixes."""
    folded = text.casefold()
    for kind, marks, form in FORMS:
        if any(mark in folded for mark in marks) and _finds_value(form, text):
            yield kind
    for some in dict.fromkeys((text, whole)):
        for kind, beginnings, tail in PREFIXES:
            if any(beginning in some for beginning in beginnings):
                test = is_random_or_uuid if tail[0] == "R" else None
                if _finds_value(expression(beginnings, tail), some, test):
                    yield kind
    if pattern(_RUN).search(text):
        yield from (kind for kind, form in UNMARKED if _finds_value(form, text))


def _finds_value(form: str, text: str, test: Callable[[str], bool] | None = None) -> bool:
    """Return whether a regular expression matches a value that is not a placeholder.

    The value is the match's group or the whole match. `test` must be True for the value.
    """
    values = (match[match.lastindex or 0] for match in pattern(form).finditer(text))
    return any(not is_placeholder(value) and (test is None or test(value)) for value in values)


def is_placeholder(value: str) -> bool:
    """Return whether a value is a placeholder: `xxxx…`, `your-key-here`, `<token>`, `${TOKEN}`."""
    folded = value.casefold()
    return (
        any(piece in folded for piece in _STAND_INS)
        or folded in ("password", "passwd", "secret")
        or len(value) < len("xx")
        or value[0] + value[-1] in ("<>", "{}")
        or (value[:2] == "${" and value[-1] == "}")
        or set(value) <= set("xX*.0-_")
    )


_STAND_INS = ("xxxx", "****", "....", "your-", "your_", "yourt", "yourk", "yours", "yourp")


# Random values that match no row. They are judged by their prefixes and by the words around them.

_VALUE = r"(?<![0-9A-Za-z_+/.~%@#-])[0-9A-Za-z_+/.~-]{12,400}+"
_PUBLIC = (
    r"pk_(?:live|test|prod)_|pk-lf-|phc_|sb_publishable_|pub-c-|sub-c-|pub(?:lic)?[_-]|appl_|goog_|AAAA[BCE]3Nza"
    r"|[sS][hH][aA]\d|.*(?:\.[a-z]{2,5}|Keys?|Tokens?|Secrets?)$"
)
"""Values that are not secret: publishable keys, public SSH keys, `sha256:…`, names of files and classes."""
_SAMPLE = "(?i:example|placeholder|redacted|dummy|abcdefgh|12345678)"
_UUID = r"(?:[0-9A-Za-z]{1,12}[_-])?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
_TELLING = (
    r"(?:[A-Za-z][0-9A-Za-z]{0,11}[_-]){0,3}(?:[srt]k|pat|api|secret|sec|token|tok|api_?key|apik|key|priv|oat|sat"
    r"|live)_|(?:[A-Za-z][0-9A-Za-z]{0,11}-){0,3}(?:sk|rk|pat|secret|token|apikey|pt)-(?:[a-z]{2,12}-)?"
)
"""Prefixes that name the kind of key, such as `bb_live_`, `ramp_sec_`, `sk-cp-` and `sm_pat_`."""
_OWN_PART = r"(?:[a-z][0-9a-z]{1,11}(?:[_-][0-9a-z]{1,8}){0,2}|[A-Z][0-9A-Z]{1,11})[_-]"
_IDS = (
    " acct ami asst batch build call case ch channel chat chatcmpl cmpl conv cs cus dep deploy dpl doc eni evt "
    "event file ft ftjob gen i id img in inv job m meeting mod model msg node obj ord order org pi pm pod price "
    "prod proj project req resp room rtb run seti sess session sg si snap span sub subnet task team thread toolu "
    "tool trace txn tx usr user vol vpc vs wf ws "
)
"""Prefixes of identifiers, which are not secret: `cus_…`, `req_…`, `subnet-…`."""
_HEAD = (
    r"(?:(?<![A-Za-z])(?:[Aa][Pp][Ii][ _-]?)?(?:[Kk]ey|KEY|[Tt]oken|TOKEN|[Ss]ecret|SECRET|[Cc]redential|CREDENTIAL"
    r"|[Cc]reds?|PAT|pat|[Bb]earer|BEARER|[Pp]assword|PASSWORD|[Pp]assphrase)|(?:api|auth|access|secret|app|private"
    r"|master)key|(?<=[a-z])(?:Key|Token|Secret))s?(?![a-z])|令牌|密钥|密鑰|密匙|秘钥|私钥|私鑰|凭证|凭据|口令|密码|密碼"
)
"""Words that mean a credential, such as "key", "token" and "password"."""
_START = r"(?i:(?:(?<![a-z])|(?-i:(?<=[a-z])(?=[A-Z])))(?:"
_NO_KEY = (
    _START + r"cache|primary|foreign|composite|pub(?:lic)?|publishable|partition|sort|range|row|object|s3|redis"
    r"|translation|locale|i18n|idempotency|dedup[a-z]*|routing|message|kafka|hash|map|dict|shard|storage|lookup|index"
    r"|unique|natural|surrogate|config|registry|host|ssh|gpg|pgp|kms|page|sync|site|lease|trace|correlation|flag"
    r"|metric|event|issue|attribute|group|bucket|blob|item|record|entry|tree|image|asset|file|doc[a-z]*|node|widget"
    r"|hot|shortcut|database|db|join|snapshot|layer|artifact|commit|build|job|model|memo|series|tenant|order|query"
    r"|list|sorting|grouping|aggregation|window|topic|queue|consumer|edge|vertex|column|field|data|state)[\s_-]{0,2}"
    r"|(?:缓存|主|外|分区|排序|对象|幂等|翻译|路由|消息|公|分页|文件|设备)\s?(?:的\s?)?)$"
)
"""After one of these words, `key` does not mean a credential: `cache key`, `primary key`."""
_NO_TOKEN = (
    _START + r"page|next|continuation|pagination|cursor|resume|sync|cancel[a-z]*|csrf|xsrf|device|push|lease|fencing"
    r"|trace|correlation|public|start|end|special|mask|stop)[\s_-]{0,2}|(?:分页|设备|特殊)\s?)$"
)
"""After one of these words, `token` does not mean a credential: `page token`, `csrf token`."""
_NO_GAP = (
    r"(?i:[\s_-]?(?:ids?|fingerprint|names?|prefix(?:es)?|pairs?|hash(?:es)?|type|format|size|length|version|file|path"
    r"|count|limit|points?|refers?)(?![a-z]))|\s?(?:指纹|编号|名称|前缀|长度|格式)"
)
"""Before one of these words, "key" or "token" does not mean a credential: `key id`, `token count`."""
_ID_WORD = (
    r"commits?|hash(?:es)?|sha-?\d*|md5|digest|checksum|fingerprint|ids?|uuid|guid|etag|nonce|revision|rev|version"
    r"|prefix|suffix|name|length|url|path|file|image|thumbprint|serial|arn|size|count|limit|提交|哈希|指纹|编号|版本|前缀|名称|长度"
)
_ID_TAIL = rf"(?i:(?<![a-z])(?:{_ID_WORD}))[\s\"'`*(]{{0,3}}(?:[:=：#]|\b(?:is|was|are)\b|是|为)?[\s\"'`*(]{{0,3}}$"
_LINKED = r"(?:[:=：＝→,，>]|\b(?:is|was|are|to)\b|是|为|叫|成|用)[\s\"'`“「『*(<\[]{0,4}$"
_STRAY = (
    r"(?i:(?<![a-z])(?:in|at|of|from|by|on|as|than|and|or|not|see|object|folder|directory|build|request|trace|span|pod"
    r"|container|branch|tag|log|row|order|user|customer|account|message|page|tenant|org|workspace|project|session"
    r"|device|node|server|machine|job|task|run|thread|ticket|issue|record|document|model|dataset|checkpoint|layer"
    r"|chunk|bundle|release|artifact|package|component|deployment|instance|host|blob|tree|merge|revert|reverts|bucket"
    r"|named|called))\W{0,4}$"
)
_GAP_ENDS = r"[;；。！？]|[.!?]\s|\n\s*\n"
_AFTERWARDS = r"[\"'`”」』)\]]{0,3}(?:\s{0,2}(?:is|was|as|are|=|是|作为|→|\()|\s?[,，])\s{0,2}([^.\n;；。!?]{0,40})"
_UNNAMED = (
    r"(?i:(?<![a-z])(?:mistral|deepgram|cohere|assembly ?ai|together(?: ?ai)?|deepinfra|serper|serpapi|brave|exa"
    r"|linkup|vapi|hume|cartesia|play ?ht|stability|clarifai|baseten|lambda|vast(?:\.ai)?|runpod|novita|nebius"
    r"|hyperbolic|wandb|comet|neptune|roboflow|upstash|turso|qdrant|weaviate|zilliz|milvus|algolia|typesense"
    r"|meilisearch|datadog|honeycomb|rollbar|bugsnag|loggly|opsgenie|pagerduty|snyk|codecov|heroku|railway|vercel"
    r"|vultr|linode|hetzner|scaleway|ovh|bunny|fastly|cloudinary|twitch|spotify|trello|asana|monday|intercom|zendesk"
    r"|mailjet|sparkpost|postmark|mailtrap|mux|agora|pusher|ably|plivo|vonage|messagebird|openweather(?:map)?|alchemy"
    r"|infura|etherscan|moralis|binance|kraken|coinbase|polygon|finnhub|tiingo|okta|auth0|zhipu|智谱|moonshot|kimi|qwen"
    r"|dashscope|通义|豆包|火山|七牛|qiniu|高德|amap|百度|讯飞|腾讯|minimax|baichuan|stepfun|gitee|coding))(?:\s?(?:uses?|with|login"
    r"|auth|:|：|=|is|是|用)){0,2}[\s\"'`“]{0,3}$"
)
"""Vendors whose keys have no prefix. A random word after the vendor's name is a key."""
_NEAR, _GAP, _GAP_OF_UUID, _LOOSE = 90, 48, 30, 80
_SAID, _ALONE, _LONG = 12, 20, 30


def is_random_or_uuid(value: str) -> bool:
    """Return whether the value after a vendor's prefix looks random or is a UUID."""
    return looks_random(value) or pattern(_UUID).match(value) is not None


def looks_random(value: str, *, least: int = 15) -> bool:
    """Return whether a value looks random, not like words or a path, and has at least `least` letters and digits."""
    pieces = re.split(r"[^0-9A-Za-z]+", value.strip("-_.~/+="))
    whole, longest = "".join(pieces), max(pieces, key=len)
    if len(longest) >= least and _is_mixed(longest):
        return True
    return len(whole) >= least + 2 and len(whole) > 4 * len(pieces) and _has_all(whole) and _is_mixed(whole)


def _is_mixed(word: str) -> bool:
    """Return whether letters and digits alternate as in random text, not as in an identifier."""
    digits = re.findall(r"\d+", word)
    if word != word.lower() and word != word.upper():
        changes = len(re.findall(r"[a-z]+|[A-Z]+|\d+", word)) - 1
        runs = re.findall(r"[A-Z]?[a-z]{3,}", word)
        words = sum(len(run) for run in runs if len(run) > 3 and not re.search("(?i:[^aeiouy]{4}|^[^aeiouy]+$)", run))
        return changes >= len(word) / 3 and words <= len(word) / 2 and (len(word) > 17 or bool(digits))
    longest = max(map(len, re.findall(r"[A-Za-z]+", word)), default=len(word))
    return (len(digits) > 2 and longest <= len(word) * 0.6) or (len(digits) == 2 and longest < len(word) / 2)


def _has_all(word: str) -> bool:
    """Return whether a word has digits, small letters and capital letters."""
    return word not in (word.lower(), word.upper()) and re.search(r"\d", word) is not None


def by_context(text: str) -> Iterator[str]:
    """Yield a kind for each random value that is a credential according to its prefix or the words around it."""
    for match in pattern(_VALUE).finditer(text):
        value = match[0].rstrip(".-/~")
        if pattern(_PUBLIC).match(value) or pattern(_SAMPLE).search(value) or is_placeholder(value):
            continue
        is_uuid, own = pattern(_UUID).match(value) is not None, pattern(_TELLING).match(value)
        body = value[own.end() :] if own else value
        if not is_uuid and not looks_random(body, least=_SAID):
            continue
        before = pattern(_GAP_ENDS).split(text[max(0, match.start() - _NEAR) : match.start()])[-1]
        after = text[match.end() : match.end() + _LOOSE]
        if pattern(_ID_TAIL).search(before) is None and (_is_said(before, is_uuid=is_uuid) or _is_said_after(after)):
            yield "Secret"
        elif is_uuid or not looks_random(body):
            continue
        elif own or _is_prefixed(value, before, after) or (len(value) >= _ALONE and pattern(_UNNAMED).search(before)):
            yield "API Key"


def _is_said(before: str, *, is_uuid: bool) -> bool:
    """Return whether the last words before a value call it a credential, for example "the key is"."""
    heads = list(pattern(_HEAD).finditer(before))
    if not heads or not _is_credential(heads[-1]):
        return False
    gap = before[heads[-1].end() :]
    is_linked = pattern(_LINKED).search(gap) is not None
    if len(gap) > (_GAP if not is_uuid else _GAP_OF_UUID if is_linked else 1) or pattern(_NO_GAP).match(gap):
        return False
    return is_linked or pattern(_STRAY).search(gap) is None


def _is_credential(head: re.Match[str]) -> bool:
    """Return whether a word such as `key` names a credential in this text; in `cache key` it does not."""
    before, word = head.string[: head.start()], head[0].casefold()
    if "key" in word:
        return pattern(_NO_KEY).search(before) is None
    return "token" not in word or pattern(_NO_TOKEN).search(before) is None


def _is_said_after(after: str) -> bool:
    """Return whether the words after a value call it a credential: `… is my mistral key`."""
    said = pattern(_AFTERWARDS).match(after)
    head = pattern(_HEAD).search(said[1]) if said else None
    return bool(
        said
        and head
        and _is_credential(head)
        and re.match(
            r"\W{0,3}(?:$|for\b|of\b|to\b|we\b|i\b|that\b|on\b|in\b|。|，|\))", said[1][head.end() :], re.IGNORECASE
        )
    )


def _is_prefixed(value: str, before: str, after: str) -> bool:
    """Return whether a value has a prefix, is not an identifier, and is either long or near a word such as "key"."""
    prefix = pattern(_OWN_PART).match(value)
    if not prefix or f" {re.split('[_-]', prefix[0])[0].lower()} " in _IDS or pattern(_STRAY).search(before):
        return False
    body = value[prefix.end() :]
    if len(max(re.split("[_-]", body), key=len)) >= _LONG and _has_all(body):
        return True  # identifiers with digits and letters of both cases are not so long
    heads = [*pattern(_HEAD).finditer(before), *pattern(_HEAD).finditer(pattern(_GAP_ENDS).split(after)[0])]
    return any(_is_credential(head) and not pattern(_NO_GAP).match(head.string, head.end()) for head in heads)
