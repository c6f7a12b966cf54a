# SPDX-License-Identifier: BSD-2-Clause
"""tactum reproduce --keep: results of tasks stay, and only those that are missing are computed."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
import tactum
from tactum.cli import main
from tactum.reproduce import Settings, experiment, load, run


def numbers(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if not row["timing"]]


def test_kept_results_are_not_computed_again(tmp_path: Path) -> None:
    chosen, settings = load("gjk-ellipsoids"), Settings(quick=True, seed=4)
    here = numbers(run(chosen, settings).report["rows"])
    assert numbers(run(chosen, settings, folder=tmp_path).report["rows"]) == here
    shards = sorted(tmp_path.glob("chunk-*.npz"))
    assert len(shards) == len(chosen.tasks(settings)) > 1
    stamps = {path: path.stat().st_mtime_ns for path in shards}
    shards[0].unlink()
    shards[1].write_bytes(b"damaged")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        again = run(chosen, settings, processes, folder=tmp_path)
    assert numbers(again.report["rows"]) == here
    assert [path for path in shards if path.stat().st_mtime_ns != stamps[path]] == shards[:2]
    with pytest.raises(tactum.InvalidInput, match="another folder"):
        run(chosen, Settings(quick=True, seed=5), folder=tmp_path)


def test_the_command_keeps_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["reproduce", "gjk-ellipsoids", "--quick", "--keep", str(tmp_path)]
    assert main(words) == 0
    assert (tmp_path / "gjk-ellipsoids" / "sweep.json").is_file()
    assert main(words) == 0
    assert main([*words, "--seed", "9"]) == 2
    assert "another folder" in capsys.readouterr().err


def test_results_of_other_software_are_not_taken_for_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, settings = load("gjk-ellipsoids"), Settings(quick=True)
    run(chosen, settings, folder=tmp_path)
    monkeypatch.setattr(experiment, "simd_level", lambda: "another")
    with pytest.raises(tactum.InvalidInput, match="a sweep with version"):
        run(chosen, settings, folder=tmp_path)


def test_the_code_of_the_package_is_part_of_the_software(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = load("gjk-ellipsoids")
    (tmp_path / "part").mkdir()
    source = tmp_path / "part" / "code.py"
    source.write_text("answer = 1\n")
    monkeypatch.setattr(tactum, "__file__", str(tmp_path / "__init__.py"))
    before = experiment.software(chosen)
    assert experiment.software(chosen) == before
    source.write_text("answer = 2\n")
    assert experiment.software(chosen) != before
