"""Each kind of mistake is found in its program, at a line of it; mended, the program is sound and stays silent."""

import pytest
from explain.programs import explained

from rushlight.explain import KINDS

EVERY = pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)


@EVERY
def test_mistake_is_found(kind):
    why, _ = explained(kind.mistake, kind.name)
    assert [finding.kind.name for finding in why.findings][:1] == [kind.name]
    first = why.findings[0]
    assert first.line.file == f"<{kind.name}>"
    assert first.line.source
    assert first.symptom == kind.symptom
    assert all((first.what, first.why, first.do))


@EVERY
def test_mended_program_is_silent(kind):
    why, error = explained(kind.mend, kind.name)
    assert error is None
    assert not why.findings, "\n\n".join(map(str, why.findings))
