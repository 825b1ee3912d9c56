// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/compile_progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <functional>

#include "hilo/client/compile.h"
#include "hilo/hlo/text/parser.h"

namespace hilo {
namespace {

/// Replaces stderr by a terminal of the test during its lifetime.
class TerminalAsStderr {
 public:
  TerminalAsStderr() : master_(::posix_openpt(O_RDWR | O_NOCTTY)), saved_(::dup(STDERR_FILENO)) {
    if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0) return;
    const int terminal = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
    if (terminal < 0) return;
    ::dup2(terminal, STDERR_FILENO);
    ::close(terminal);
    ready_ = true;
  }
  ~TerminalAsStderr() {
    ::dup2(saved_, STDERR_FILENO);
    ::close(saved_);
    ::close(master_);
  }
  bool ready() const { return ready_; }

  /// Reads until `text` has been written. After a minute returns what was read so far.
  std::string read_until(std::string_view text) {
    while (seen_.find(text) == std::string::npos) {
      pollfd waiting = {master_, POLLIN, 0};
      char bytes[256];
      if (::poll(&waiting, 1, 60'000) != 1) break;
      const ssize_t count = ::read(master_, bytes, sizeof(bytes));
      if (count <= 0) break;
      seen_.append(bytes, static_cast<size_t>(count));
    }
    return seen_;
  }

 private:
  int master_, saved_;
  bool ready_ = false;
  std::string seen_;
};

/// A client with a pass "dawdle", whose duration the test controls.
class SlowClient final : public Client {
 public:
  explicit SlowClient(std::function<void()> dawdle) : Client({}), dawdle_(std::move(dawdle)) {}
  std::string_view platform_name() const override { return "Slow"; }
  StatusOr<std::unique_ptr<Executable>> compile(const hlo::Module& module, const CompileOptions&,
                                                hlo::PassObserver* observer) override {
    watched_ = observer != nullptr;
    if (watched_) observer->before("dawdle", module);
    dawdle_();
    return unimplemented("slow");
  }
  bool watched() const { return watched_; }

 private:
  std::function<void()> dawdle_;
  bool watched_ = false;
};

hlo::Module module_named(const std::string& name) {
  hlo::Module module = *hlo::parse_module("HloModule m\nENTRY main {\n  ROOT x = f32[4] parameter(0)\n}\n");
  module.name = name;
  return module;
}

TEST(CompileProgress, ShowsModuleAndPassOnATerminalAndWipesTheLine) {
  TerminalAsStderr terminal;
  ASSERT_TRUE(terminal.ready());
  const std::string line = "compiling train_step: dawdle";
  SlowClient client([&] { terminal.read_until(line); });  // the pass ends when the line has been written
  EXPECT_FALSE(compile_observed(client, module_named("train_step"), CompileOptions{}).ok());
  const std::string shown = terminal.read_until("dawdle\r\x1b[K");
  EXPECT_EQ(shown.substr(0, 4 + line.size()), "\r\x1b[K" + line);
  EXPECT_EQ(shown.substr(shown.size() - 4), "\r\x1b[K");  // the line is erased
}

TEST(CompileProgress, IsSilentWhereStderrIsNoTerminal) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int saved = ::dup(STDERR_FILENO);
  ::dup2(ends[1], STDERR_FILENO);
  const bool wanted = CompileProgress::is_shown();
  SlowClient client([] {});
  const bool compiled = compile_observed(client, module_named("piped"), CompileOptions{}).ok();
  ::dup2(saved, STDERR_FILENO);
  for (int descriptor : {saved, ends[0], ends[1]}) ::close(descriptor);
  EXPECT_FALSE(wanted);
  EXPECT_FALSE(compiled);
  EXPECT_FALSE(client.watched());  // no observer, so no thread is started
}

}  // namespace
}  // namespace hilo
