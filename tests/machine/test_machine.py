"""A store after random commands, manual edits, crashes, power cuts and clock changes equals an independent model.

The default run draws the same examples every time. To search for new ones:

    PROMPTX_MEM_MACHINE=1000 pytest tests/machine --hypothesis-profile=search --hypothesis-seed=1
"""

import os
from typing import Any

from hypothesis import HealthCheck, settings

from tests.machine.person import World

EXAMPLES = int(os.environ.get("PROMPTX_MEM_MACHINE", "4"))
STEPS = 40

TestStore: Any = World.TestCase
TestStore.settings = settings(
    max_examples=EXAMPLES, stateful_step_count=STEPS, deadline=None, suppress_health_check=list(HealthCheck)
)
