# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import pty
import signal
import subprocess
import sys

import build_progress
from build_progress import Failure, Progress
from planted import ROOT, Planted

# What ninja 1.11 writes to a terminal, and 1.11 and 1.12 to a pipe, of three files of which the second is broken.
TERMINAL = ("ninja: Entering directory `build'\r\n\r[0/3] Building CXX object CMakeFiles/x.dir/src/a.cc.o\x1b[K"
            "\r[1/3] Building CXX object CMakeFiles/x.dir/src/a.cc.o\x1b[K\r[1/3] Building CXX object CMakeFiles/x.dir/src/b.cc.o\x1b[K"
            "\r[2/3] Building CXX object CMakeFiles/x.dir/src/b.cc.o\x1b[K\r\n\x1b[31mFAILED: \x1b[0mCMakeFiles/x.dir/src/b.cc.o \r\n"
            "g++ -c b.cc -o CMakeFiles/x.dir/src/b.cc.o\r\nb.cc:1:6: error: expected initializer at end of input\r\n    1 | int a\r\n"
            "      |      ^\r\n\r[2/3] Building CXX object CMakeFiles/x.dir/src/c.cc.o\x1b[K"
            "\r[3/3] Building CXX object CMakeFiles/x.dir/src/c.cc.o\x1b[K\r\nninja: build stopped: cannot make progress.\r\n")
PIPE = ("ninja: Entering directory `build'\n[1/3] Building CXX object CMakeFiles/x.dir/src/a.cc.o\n"
        "[2/3] Building CXX object CMakeFiles/x.dir/src/b.cc.o\nFAILED: CMakeFiles/x.dir/src/b.cc.o \n"
        "g++ -c b.cc -o CMakeFiles/x.dir/src/b.cc.o\nb.cc:1:6: error: expected initializer at end of input\n    1 | int a\n"
        "      |      ^\n[3/3] Building CXX object CMakeFiles/x.dir/src/c.cc.o\nninja: build stopped: cannot make progress.\n")
BROKEN = Failure("src/b.cc", "g++ -c b.cc -o CMakeFiles/x.dir/src/b.cc.o",
                 ["b.cc:1:6: error: expected initializer at end of input", "    1 | int a", "      |      ^"])


class Reading(Planted):
    def read(self, text):
        reader, writer = os.pipe()
        os.write(writer, text.encode())
        os.close(writer)
        progress, log = Progress(), list(build_progress.lines(reader))
        for number, line in enumerate(log):
            progress.read(line, float(number))
        return progress, log

    def test_reads_what_ninja_writes_to_terminals_and_pipes(self):
        for text in (TERMINAL, PIPE, PIPE.replace("FAILED: ", "FAILED: [code=1] ")):
            progress, _ = self.read(text)
            self.assertEqual((progress.done, progress.total, progress.what), (3, 3, "src/c.cc"))
            self.assertEqual(progress.failures, [BROKEN])

    def test_on_a_terminal_the_line_names_what_is_begun(self):
        progress = Progress()
        progress.read("[1/3] Building CXX object CMakeFiles/x.dir/src/b.cc.o", 0.0)
        self.assertEqual(progress.line(0.0, 80), "[1/3]  src/b.cc")
        self.assertEqual(progress.line(0.0, 10), "[1/3]  sr")
        progress.read("[2/3] Linking CXX shared library lib/libx.so", 0.0)
        self.assertEqual(progress.line(0.0, 80), "[2/3]  Linking CXX shared library lib/libx.so")

    def test_the_time_left_follows_the_last_steps(self):
        progress = Progress()
        self.assertIsNone(progress.seconds_left(0.0))
        for step in range(1, 101):  # from ccache
            progress.read(f"[{step}/300] x", step * 0.01)
        self.assertAlmostEqual(progress.seconds_left(1.0), 2.0)
        for step in range(101, 201):  # compiled
            progress.read(f"[{step}/300] x", 1.0 + (step - 100) * 2.0)
        self.assertAlmostEqual(progress.seconds_left(201.0), 200.0)
        self.assertEqual(progress.line(201.0, 80), "[200/300]  about 3 min 20 s left  x")

    def test_counting_anew_forgets_what_cmake_took(self):
        progress = Progress()
        for step in range(0, 9):
            progress.read(f"[{step}/9] x", step * 100.0)
        progress.read("[0/500] y", 900.0)
        self.assertIsNone(progress.seconds_left(901.0))

    def test_a_failure_shows_the_beginning_of_what_the_command_said(self):
        progress, log = self.read(PIPE)
        self.assertEqual(build_progress.failure_text(progress, log), ["failed: src/b.cc", *BROKEN.output])
        progress.failures[0].output = [f"line {number}" for number in range(50)]
        text = build_progress.failure_text(progress, log)
        self.assertEqual(text[1:21], [f"line {number}" for number in range(20)])
        self.assertEqual(text[21:], ["... and 30 more lines"])
        progress.failures[0].output = ["g++: fatal error: Killed signal terminated program cc1plus"]
        self.assertIn("JOBS=1", build_progress.failure_text(progress, log)[-1])

    def test_without_a_command_that_failed_the_log_ends_the_message(self):
        progress, log = self.read("ninja: error: 'gone.cc', needed by 'x.o', missing\n")
        self.assertEqual(build_progress.failure_text(progress, log), log)


class Running(Planted):
    """Builds of a planted build.ninja, whose commands are the shell's."""

    def begin(self, commands, terminal=False):
        rules = "".join(f"rule r{k}\n  command = {command}\n  description = step {k}\nbuild out{k}: r{k}\n"
                        for k, command in enumerate(commands))
        self.plant("build.ninja", rules)
        # What runs in the background of a shell, as tests may, has been told to ignore SIGINT.
        code = ("import signal, sys, pathlib; signal.signal(signal.SIGINT, signal.default_int_handler); "
                f"sys.path.insert(0, {str(ROOT / 'tools')!r}); import build_progress; "
                f"sys.exit(0 if build_progress.run(pathlib.Path({str(self.root)!r}), 1, []) else 1)")
        reader, writer = pty.openpty() if terminal else os.pipe()
        self.process = subprocess.Popen([sys.executable, "-c", code], stdout=writer, stderr=writer)
        os.close(writer)
        self.addCleanup(self.process.kill)
        return reader

    def said(self, reader):
        text = b""
        while piece := self.piece(reader):
            text += piece
        os.close(reader)
        return text.decode(), self.process.wait()

    def piece(self, reader):
        try:
            return os.read(reader, 4096)
        except OSError:  # so ends a terminal
            return b""

    def test_in_a_pipe_one_line_at_the_beginning_and_one_at_the_end(self):
        text, status = self.said(self.begin([f"touch out{k}" for k in range(8)]))
        self.assertEqual(status, 0)
        self.assertRegex(text, r"\Abuilding everything in \S+: 8 steps, 1 at a time; log: \S+/build.log\n"
                               r"built everything in \S+: 8 steps, \d+ s, \d+ s of the processors\n\Z")
        self.assertIn("[8/8] step 7\n", (self.root / "build.log").read_text())

    def test_on_a_terminal_one_line_moves(self):
        text, status = self.said(self.begin([f"touch out{k}" for k in range(8)], terminal=True))
        self.assertEqual(status, 0)
        self.assertIn("\r[0/8]  step 0\x1b[K\r[1/8]  step 0", text)
        self.assertEqual(text.count("\n"), 1)  # of the last line, which is the result
        self.assertRegex(text, r"\r\x1b\[Kbuilt everything in \S+: 8 steps, ")

    def test_a_failure_names_the_log(self):
        text, status = self.said(self.begin(["touch out0", "echo the reason && false"]))
        self.assertEqual(status, 1)
        log = (self.root / "build.log").absolute()
        self.assertRegex(text, rf"\Afailed: out1\nthe reason\nThe build failed after \d+ s. Full output: {log}\n\Z")
        self.assertIn("echo the reason && false\n", log.read_text())

    def test_an_interrupt_stops_ninja_and_says_so(self):
        os.mkfifo(self.root / "never")
        reader = self.begin(["touch out0", "cat never > out1"], terminal=True)
        text = ""
        while "step 1" not in text:
            text += self.piece(reader).decode()
        writer = os.open(self.root / "never", os.O_WRONLY)  # returns when cat reads
        self.addCleanup(os.close, writer)
        self.process.send_signal(signal.SIGINT)
        rest, status = self.said(reader)
        self.assertEqual(status, 130)
        self.assertIn("stopped; what is built stays", rest)
        self.assertNotIn("Traceback", rest)
        self.assertTrue((self.root / "out0").exists())
        self.assertFalse((self.root / "out1").exists())


class BuildScript(Planted):
    def test_says_which_tool_is_missing(self):
        (self.root / "bin").mkdir()
        for name in ("bash", "dirname", "env", "python3"):
            (self.root / "bin" / name).symlink_to("/usr/bin/" + name if name != "python3" else pathlib.Path(sys.executable))
        done = subprocess.run([ROOT / "tools/build.sh", "build", "1", "hilo"], env={"PATH": str(self.root / "bin")},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "hilo's build needs cmake. Hint: apt-get install python3 cmake ninja-build\n")
