"""The text of `score --guide`: questions (source 001 in docs/design.md) and guidelines (source 000) on scores."""

from promptx_mem.core.entry import DIMENSIONS
from promptx_mem.record import NamedTuple


class Question(NamedTuple):
    """One question, answered with 0-10. If it is reversed, it counts as 10 minus the answer."""

    zh: str
    en: str
    reversed: bool = False


class GuideDimension(NamedTuple):
    """One of the six dimensions of a score. Its value is the mean of the answers to its questions."""

    name: str
    zh: str
    questions: tuple[Question, ...]


class Guide(NamedTuple):
    """All questions. `explicit`: one yes means that the user asked for it. `challenges`: checks before storing."""

    explicit: tuple[Question, ...]
    dimensions: tuple[GuideDimension, ...]
    challenges: tuple[Question, ...]
    guidelines: tuple[Question, ...]


_QUESTIONS = (
    ("信息重要性", (
        Question("信息是否包含关键事实或概念？", "Does it contain key facts or concepts?"),
        Question("信息是否影响理解或决策？", "Does it affect understanding or decisions?"),
        Question("信息是否有长期参考价值？", "Is it of lasting use for reference?"),
    )),
    ("信息新颖性", (
        Question("这是否是首次出现的信息？", "Is this the first time it appears?"),
        Question("是否与已有记忆存在冗余？", "Is it redundant with stored memories?", reversed=True),
        Question("是否提供了新视角或补充细节？", "Does it add a new view or more detail?"),
    )),
    ("用户相关性", (
        Question("信息与用户兴趣/需求的匹配程度？", "How well does it match the user's interests and needs?"),
        Question("与用户历史交互的关联度？", "How closely is it tied to earlier exchanges with the user?"),
        Question("对用户未来可能任务的适用性？", "How useful is it for the user's future tasks?"),
    )),
    ("可信度评估", (
        Question("信息来源的可靠性？", "How reliable is its source?"),
        Question("内容是否有事实支持？", "Is it backed by facts?"),
        Question("是否与已验证知识一致？", "Does it agree with verified facts?"),
    )),
    ("信息粒度", (Question("信息的具体程度和精确度", "How specific and exact is it?"),)),
    ("时效性", (Question("信息的预期有效期", "How long will it be valid? Lasting scores high."),)),
)  # fmt: skip

GUIDE = Guide(
    explicit=(
        Question("用户是否明确使用“记住”、“记录”等指令词？", 'Did the user use words such as "remember" or "note"?'),
        Question("用户是否强调某信息的重要性？", "Did the user stress that it is important?"),
        Question("用户是否暗示将来会用到此信息？", "Did the user hint at using it later?"),
    ),
    dimensions=tuple(
        GuideDimension(name, zh, questions) for name, (zh, questions) in zip(DIMENSIONS, _QUESTIONS, strict=True)
    ),
    challenges=(
        Question("检查信息是否包含多个独立的事实点", "Several separate facts? Score and store each separately."),
        Question("检查信息是否与已存储的高价值记忆强相关", "Close to a valuable memory? A lower score is enough."),
        Question("检查信息是否包含明显错误或误导", "Wrong or misleading? Be careful at any score."),
        Question("评估信息是否涉及用户隐私", "Personal data? A higher score is needed."),
    ),
    guidelines=(
        Question("优先记忆用户个人信息、偏好和重要事实", "Prefer facts about the user, preferences and key facts."),
        Question("对话中反复提及的主题应提高记忆优先级", "Topics that recur in the conversation are more important."),
        Question("用户工作流程和决策模式是高价值记忆内容", "Facts on how the user works and decides are valuable."),
        Question("工具调用的有价值结果应作为记忆的一部分", "Valuable results of tool calls belong in memory."),
        Question("记忆反馈应简洁，避免打断自然对话流程", "Keep feedback short; do not break the conversation."),
        Question("会话结束记忆处理应尽可能全面但有选择性", "Be thorough, but selective, when a session ends."),
        Question("长期价值信息优先于短期价值信息", "Prefer lasting facts to short-term facts."),
        Question("检测到记忆相关操作时立即使用正确的工具", "Use the right memory tool as soon as it is needed."),
        Question("首次工具使用错误时提供明确的纠正指导", "If the wrong tool was used, name the right one."),
        Question("主动监控工具选择以确保符合规则", "Check that the chosen tool follows the rules."),
    ),
)
