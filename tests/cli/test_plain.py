"""A plain command line is parsed without typer, with the same result."""

from hypothesis import given, settings
from hypothesis import strategies as st

from promptx_mem.cli import parser, plain
from promptx_mem.cli.commands import COMMANDS, handler_of
from promptx_mem.cli.options import COMMON, NONE_GIVEN, Option
from tests.tables import rows


def _option_words() -> list[str]:
    declared = [one for name in COMMANDS for one in plain.declared(handler_of(name).command)]
    return sorted({word for name, _, what in declared if isinstance(what, Option) for word in what.names_of(name)})


VALUES = rows(__file__, "words.jsonl")
words = st.sampled_from(VALUES) | st.text(max_size=6)
options = st.sampled_from(_option_words())
pieces = st.one_of(
    words.map(lambda word: [word]),
    options.map(lambda option: [option]),
    st.tuples(options, words).map(list),
    st.tuples(options, words).map(lambda both: ["=".join(both)]),
    st.tuples(options, words).map(lambda both: ["".join(both)]),
)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(COMMANDS)), st.lists(pieces, max_size=4))
def test_plain_reader_parses_as_typer_does(name: str, drawn: list[list[str]]) -> None:
    arguments = [word for piece in drawn for word in piece]
    read = plain.read(handler_of(name).command, arguments)
    if read is None:
        return
    command = parser.load(name)
    defaults = {param.name: param.default for param in command.params}
    parsed = command.make_context(name, list(arguments)).params
    changed = {key: value for key, value in parsed.items() if value not in (None, (), []) and value != defaults[key]}
    common = read.pop("common", NONE_GIVEN)
    read |= {key: getattr(common, key) for key in COMMON if getattr(common, key) not in (None, False)}
    read = {key: value for key, value in read.items() if value != defaults[key]}
    assert {key: list(value) if isinstance(value, tuple) else value for key, value in changed.items()} == read


def test_plain_reader_accepts_every_option() -> None:
    """Otherwise the test above would compare nothing."""
    for name in COMMANDS:
        command = handler_of(name).command
        for option in parser.load(name).params:
            words = [] if option.param_type_name == "argument" else [option.opts[0]]
            words += [] if getattr(option, "is_flag", False) else ["5"]
            required = ["x" for other in parser.load(name).params if other.required and other.name != option.name]
            assert plain.read(command, [*words, *required]), (name, words)
