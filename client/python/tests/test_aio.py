"""Tests the client with asyncio."""

from __future__ import annotations

import asyncio
import inspect
import pathlib

import pytest
from models import large_model, small_model
from test_training import TINY

import vrpd
from vrpd import aio, aio_jobs, aio_resources, aio_simulations, aio_sweeps, jobs, resources, simulations, sweeps


def test_concurrent_solves_all_succeed() -> None:
    async def run() -> list[vrpd.Result]:
        async with vrpd.AsyncClient() as client:
            return await asyncio.gather(*(client.solve(large_model(), budget=0.1) for _ in range(6)))

    assert [result.feasible for result in asyncio.run(run())] == [True] * 6


def test_stream_ends_with_the_result() -> None:
    async def run() -> list[vrpd.Improvement | vrpd.Result]:
        async with vrpd.AsyncClient() as client:
            return [item async for item in client.improvements(large_model(), budget=0.2)]

    *improvements, result = asyncio.run(run())
    assert isinstance(result, vrpd.Result)
    assert result.cost <= improvements[-1].cost  # a slow reader misses improvements, but not the result
    assert result.to_vrplib()


def test_cancelled_task_cancels_its_call() -> None:
    async def run() -> None:
        async with vrpd.AsyncClient() as client:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(client.solve(large_model(), budget="600s"), 0.3)
            while any(rpc.in_flight for rpc in (await client.server_stats()).rpcs if rpc.rpc.endswith("/Solve")):
                await asyncio.sleep(0.05)

    asyncio.run(run())


def test_calls_of_every_kind_work_and_raise_errors(tmp_path: pathlib.Path) -> None:
    async def run() -> None:
        async with vrpd.AsyncClient() as client:
            answers = [answer async for answer in client.batch([small_model(), vrpd.Model()], budget=0.05)]
            assert sorted(answer.index for answer in answers if answer.error is None) == [0]
            job = await client.solve_job(small_model(), budget=0.2)
            assert (await job.wait()).feasible and job.name in [one.name for one in await client.solve_jobs.list()]
            training = await client.train(TINY)
            assert (await training.wait()).model
            assert len(await training.history()) > 0
            assert (await client.models.get("own")).architecture == "ptrnet"
            await client.datasets.upload("aio", [line async for line in client.datasets.generate("cvrp", 5, 3)])
            await client.datasets.export("aio", tmp_path / "aio.jsonl")
            assert len((tmp_path / "aio.jsonl").read_text().splitlines()) == 3
            assert (await client.datasets.delete("aio")).deleted_label_count == 0
            assert (await client.check(small_model(), [[1]])).violations
            decision = await client.dispatch_decide(small_model(), policy="greedy", budget=0.05)
            assert decision.routes and not decision.waiting
            assert (await client.estimate_costs(small_model())).estimates[0].cost > 0
            run = await client.simulate(small_model(), policies=["greedy"], days=1, epoch=100, max_iterations=20)
            assert (await run.wait()).policies[0].policy == "greedy" and run.days[0].policy == "greedy"
            assert run.name in [one.name for one in await client.simulations.list()]
            sweep = await client.sweep({"method": "grid", "config": TINY, "keys": {"training.seed": [1, 2]}})
            assert (await sweep.wait()).best is not None and len(sweep.trials) == 2
            assert sweep.name in [one.name for one in await client.sweeps.list()]
            assert (await client.validate(small_model())).valid and await client.convert(small_model(), "vrplib")
            assert (await client.backup(tmp_path / "b.tar")).file_count and await client.is_healthy()
            with pytest.raises(vrpd.InvalidArgumentError):
                await client.solve(vrpd.Model())

    asyncio.run(run())


@pytest.mark.parametrize(
    ("blocking", "with_asyncio"),
    [
        (vrpd.Client, aio.AsyncClient),
        (jobs.TrainingJob, aio_jobs.AsyncTrainingJob),
        (jobs.SolveJob, aio_jobs.AsyncSolveJob),
        (simulations.Simulation, aio_simulations.AsyncSimulation),
        (simulations.Simulations, aio_simulations.AsyncSimulations),
        (sweeps.Sweep, aio_sweeps.AsyncSweep),
        (sweeps.Sweeps, aio_sweeps.AsyncSweeps),
        *(
            (getattr(resources, name), getattr(aio_resources, f"Async{name}"))
            for name in ("Models", "Datasets", "MatrixStore", "TrainingJobs", "SolveJobs")
        ),
    ],
)
def test_asyncio_class_has_the_methods_of_the_blocking_class(blocking: type, with_asyncio: type) -> None:
    missing = [
        name for name, _ in inspect.getmembers(blocking) if not name.startswith("_") and not hasattr(with_asyncio, name)
    ]
    assert missing in ([], ["progress"])
