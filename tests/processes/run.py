#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs that mpirun starts as several processes: results have the bits of one process, and the loss of a
process is reported.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import holds, own_environment, run_cases  # noqa: E402

# A container's user may be root, and a small machine has fewer cores than there are processes.
MPIRUN = ("mpirun", "--allow-run-as-root", "--oversubscribe")
ENDED_BADLY = 3


def program(place) -> pathlib.Path:
    return place.build / "bin" / "tests" / "processes_program"


def run(place, *command, **environment) -> subprocess.CompletedProcess:
    """All processes of a job are one group: nothing of it is left behind."""
    with subprocess.Popen([str(part) for part in command], cwd=place.folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE,
                          text=True, start_new_session=True, env={**own_environment(), **environment}) as job:
        try:
            out, err = job.communicate(timeout=120)
        finally:
            kill_group(job.pid)
    return subprocess.CompletedProcess(command, job.returncode, out, err)


def kill_group(group: int):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def lines(done: subprocess.CompletedProcess) -> list[str]:
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return sorted(done.stdout.splitlines())


def processes_compute_the_bits_of_one(place):
    for count, devices in ((2, 1), (4, 1), (2, 3), (3, 1)):
        alone = lines(run(place, program(place), "values", JAX_REPLICA_COUNT=str(count * devices)))
        together = lines(run(place, *MPIRUN, "-n", count, program(place), "values", JAX_REPLICA_COUNT=str(devices)))
        assert len(alone) > 75 * count * devices, len(alone)
        differ = [(a, b) for a, b in zip(alone, together) if a != b]
        assert alone == together, f"{count} processes of {devices} devices: {differ[:5]}"


def mishap(place, kind: str, **environment) -> str:
    done = run(place, *MPIRUN, "-n", 3, program(place), kind, 1, 20, 100_000, **environment)
    assert done.returncode != 0, f"{kind}: all is well?\n{done.stdout}"
    return done.stderr


def a_process_that_is_killed_is_named(place):
    holds(mishap(place, "kill"), "UNAVAILABLE: process 1 has died; it was last at ")


def a_process_that_is_stopped_is_named(place):
    holds(mishap(place, "stop", HILO_HEARTBEAT_SECONDS="1"),
          "UNAVAILABLE: process 1 has sent no heartbeat for 1.0 s: it is stopped or can't be reached; it was last at ")


def a_process_that_ends_early_is_named(place):
    holds(mishap(place, "end"), "FAILED_PRECONDITION: all-reduce", "replica 1 (process 1, last at ",
          "has ended without this collective")


def a_process_that_hangs_is_named_at_the_deadline(place):
    holds(mishap(place, "hang", HILO_RUN_SECONDS="2"), "DEADLINE_EXCEEDED: all-reduce", "program.cc:",
          "timeout of the program while replica 1 (process 1, last at ", "had not arrived")


def processes_that_run_different_programs_are_told(place):
    holds(mishap(place, "other"), "INVALID_ARGUMENT: called all-reduce", "of program ",
          "Hint: all processes must run the same programs in the same order")


def without_a_library_of_mpi_the_error_names_one(place):
    done = run(place, *MPIRUN, "-n", 2, program(place), "values", HILO_MPI_LIBRARY="/nowhere/libmpi.so")
    assert done.returncode == ENDED_BADLY, done.stderr
    holds(done.stderr, "NOT_FOUND: no MPI library: none of /nowhere/libmpi.so can be opened",
          "Hint: install libopenmpi3 or libmpich12, or set HILO_MPI_LIBRARY")


def a_library_that_is_no_mpi_is_refused(place):
    done = run(place, *MPIRUN, "-n", 2, program(place), "values", HILO_MPI_LIBRARY="libz.so.1")
    holds(done.stderr, "INVALID_ARGUMENT: libz.so.1 is not an MPI library: it lacks MPI_Init_thread")


def another_launcher_than_the_librarys_is_refused(place):
    done = run(place, program(place), "values", PMI_RANK="1", PMI_SIZE="2", HILO_MPI_LIBRARY="libmpi.so.40")
    assert done.returncode == ENDED_BADLY, done.stderr
    holds(done.stderr, "INVALID_ARGUMENT: mpirun of MPICH started this process as 1 of 2, but libmpi.so.40 (Open MPI",
          "reports 0 of 1: they belong to different MPIs")


def processes_must_have_as_many_devices(place):
    script = place.folder / "differ.sh"
    script.write_text(f'JAX_REPLICA_COUNT=$((OMPI_COMM_WORLD_RANK + 1)) exec {program(place)} values\n')
    done = run(place, *MPIRUN, "-n", 2, "sh", script)
    holds(done.stderr, "INVALID_ARGUMENT: process 0 has 1 devices and process 1 has 2; wanted equal numbers")


def mesh_program(place) -> pathlib.Path:
    return place.build / "bin" / "tests" / "processes_mesh_program"


def meshes_of_processes_give_the_bits_of_one(place):
    for count, devices in ((2, 1), (4, 1), (2, 2)):
        alone = lines(run(place, mesh_program(place), "values", JAX_REPLICA_COUNT=str(count * devices)))
        together = lines(run(place, *MPIRUN, "-n", count, mesh_program(place), "values", JAX_REPLICA_COUNT=str(devices)))
        assert len(alone) > 200 * count * devices, len(alone)
        differ = [(a, b) for a, b in zip(alone, together) if a != b]
        assert alone == together, f"{count} processes of {devices} devices: {differ[:5]}"


def what_arrays_of_several_processes_cannot_do_is_refused(place):
    done = run(place, *MPIRUN, "-n", 2, mesh_program(place), "refusals", JAX_REPLICA_COUNT="2")
    assert done.returncode == 0, done.stderr
    holds(done.stdout, "FAILED_PRECONDITION: array: fetching the value of f32[4,2]", "spans devices of other processes",
          "UNIMPLEMENTED: device_put (mesh_program.cc:", "Mesh('x': 3) has 3 of the 4 devices of all processes",
          "has those of this one alone", "Received incompatible devices for jitted computation",
          "this process has f32[3,2] of (8, 2) by", "got 0 arrays; wanted one for each of the mesh's 2 devices in this process",
          "Array(f32[4,2], NamedSharding(mesh=Mesh('x': 4), spec=PartitionSpec('x',)))")


def a_nan_on_one_device_is_found_by_its_process(place):
    done = run(place, *MPIRUN, "-n", 2, mesh_program(place), "nans")
    assert done.returncode == ENDED_BADLY, done.stderr
    holds(done.stderr, "invalid value encountered in a result of log (mesh_program.cc:")


def checkpoints_of_some_processes_are_read_by_others(place):
    file = place.folder / "state.safetensors"
    jobs = {1: (), 2: (*MPIRUN, "-n", 2), 4: (*MPIRUN, "-n", 4)}
    for writers, readers in ((2, 4), (4, 1), (4, 2), (1, 4)):
        file.unlink(missing_ok=True)
        written = lines(run(place, *jobs[writers], mesh_program(place), "save", file))
        read = lines(run(place, *jobs[readers], mesh_program(place), "restore", file))
        assert len(written) == 1 and written == read, (writers, readers, written, read)


def a_folder_of_checkpoints_serves_all_processes(place):
    folder = place.folder / "run"
    together = lines(run(place, *MPIRUN, "-n", 2, mesh_program(place), "manage", folder))
    assert together == lines(run(place, mesh_program(place), "manage", place.folder / "alone")), together


def a_checkpoint_that_cannot_be_written_fails_everywhere(place):
    done = run(place, *MPIRUN, "-n", 2, mesh_program(place), "save", place.folder / "nowhere" / "state.safetensors")
    assert done.returncode == ENDED_BADLY, done.stderr
    holds(done.stderr, "NOT_FOUND: save_checkpoint (mesh_program.cc:",
          "ABORTED: save_checkpoint", "another process could not write the checkpoint; see its error message")


def digits_has_one_loss_curve_by_replicas_by_mesh_and_by_processes(place):
    digits = place.build / "bin" / "examples" / "digits"
    curves = {}
    for name, command in (("replicas", (digits, "--replicas", 4)), ("mesh", (digits, "--replicas", 4, "--mesh")),
                          ("2 processes", (*MPIRUN, "-n", 2, digits, "--replicas", 2, "--mesh")),
                          ("4 processes", (*MPIRUN, "-n", 4, digits, "--mesh")),
                          ("4 processes by replicas", (*MPIRUN, "-n", 4, digits))):
        file = place.folder / f"{name}.txt"
        done = run(place, *command, "--losses", file)
        assert done.returncode == 0, f"{name}: {done.stderr}"
        curves[name] = [float(line) for line in file.read_text().split()]
        assert len(curves[name]) == 40, name
        apart = max(abs(a - b) for a, b in zip(curves[name], curves["replicas"]))
        assert apart <= 1e-6, f"{name} is {apart} from replicas"
    assert curves["mesh"][-1] < 0.1 * curves["mesh"][0], curves["mesh"]


def examples_share_devices_of_all_processes(place):
    for name, devices, last in (("sharded_transformer", 2, "sharded transformer: right"),
                                ("big_product", 4, "product in a ring: right")):
        done = run(place, *MPIRUN, "-n", 2, place.build / "bin" / "examples" / name, devices)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == last, done.stdout


def digits_learns_the_same_in_one_process_and_in_four(place):
    digits = place.build / "bin" / "examples" / "digits"
    alone = run(place, digits, "--replicas", 4)
    together = run(place, *MPIRUN, "-n", 4, digits)
    accuracy = [done.stdout.splitlines()[-1] for done in (alone, together)]
    holds(accuracy[0], "test accuracy 0.9")
    assert accuracy[0] == accuracy[1], accuracy
    assert together.stdout.count("test accuracy") == 1, together.stdout


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, (
        processes_compute_the_bits_of_one,
        a_process_that_is_killed_is_named,
        a_process_that_is_stopped_is_named,
        a_process_that_ends_early_is_named,
        a_process_that_hangs_is_named_at_the_deadline,
        processes_that_run_different_programs_are_told,
        without_a_library_of_mpi_the_error_names_one,
        a_library_that_is_no_mpi_is_refused,
        another_launcher_than_the_librarys_is_refused,
        processes_must_have_as_many_devices,
        meshes_of_processes_give_the_bits_of_one,
        what_arrays_of_several_processes_cannot_do_is_refused,
        a_nan_on_one_device_is_found_by_its_process,
        checkpoints_of_some_processes_are_read_by_others,
        a_folder_of_checkpoints_serves_all_processes,
        a_checkpoint_that_cannot_be_written_fails_everywhere,
        digits_has_one_loss_curve_by_replicas_by_mesh_and_by_processes,
        examples_share_devices_of_all_processes,
        digits_learns_the_same_in_one_process_and_in_four,
    ), {}))
