import core.errors as tree
from core.errors import OUTCOMES, SawyerError


def every_class(kind: type[SawyerError] = SawyerError) -> list[type[SawyerError]]:
    found = [kind, *(below for sub in kind.__subclasses__() for below in every_class(sub))]
    return [each for each in found if each.__module__ == tree.__name__]


def test_every_error_stands_in_the_table_and_in_the_drawing():
    for kind in every_class():
        assert kind in OUTCOMES
        assert kind.__name__ in (tree.__doc__ or "")


def test_codes_are_unique_and_statuses_are_errors():
    codes = [outcome.code for outcome in OUTCOMES.values()]
    assert len(codes) == len(set(codes))
    assert all(400 <= outcome.status < 600 and 0 < outcome.exit_code < 126 for outcome in OUTCOMES.values())


def test_an_error_below_the_table_takes_its_parents_outcome():
    class Narrower(tree.NotFound):
        pass

    assert Narrower("x").code == "not_found"
