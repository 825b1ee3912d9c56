// SPDX-License-Identifier: Apache-2.0
// Runs every example as a user does, and checks its exit code and last line.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "hilo/base/files.h"
#include "tests/paths.h"

namespace hilo::tests {
namespace {

struct Outcome {
  int exit_code = -1;
  std::string last_line;
};

/// The stdout of the program; its progress on stderr is dropped.
Outcome run_example(const std::string& name, const std::string& argument = "") {
  const std::string command = "'" + std::string(kBinDir) + "/examples/" + name + "' " + argument + " 2>/dev/null";
  Outcome outcome;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  char line[1024];
  while (std::fgets(line, sizeof line, pipe) != nullptr) outcome.last_line = line;
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

/// Expects that the example succeeds and that this is its last line.
void expect_prints(const std::string& example, const std::string& last_line) {
  const Outcome outcome = run_example(example);
  EXPECT_EQ(outcome.exit_code, 0) << example;
  EXPECT_EQ(outcome.last_line, last_line) << example;
}

/// A temporary file with a name unique to this process, deleted at the end of the test.
class OutputFile {
 public:
  explicit OutputFile(const std::string& name) : path_(testing::TempDir() + std::to_string(getpid()) + "_" + name) {}
  ~OutputFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Examples, LinearRegressionFindsTheLine) { expect_prints("linear_regression", "linear regression: right\n"); }

TEST(Examples, NewtonFindsRosenbrocksMinimum) { expect_prints("rosenbrock", "minimum at (1.0000, 1.0000): right\n"); }

TEST(Examples, HeatSpreadsOverEightDevicesAsOverOne) { expect_prints("heat", "heat over 8 devices: right\n"); }

TEST(Examples, ATransformerSharedByTensorAndDataLearnsAsOnOneDevice) {
  expect_prints("sharded_transformer", "sharded transformer: right\n");
}

TEST(Examples, AProductThatOneDeviceMayNotHoldGoesRoundInARing) {
  expect_prints("big_product", "product in a ring: right\n");
}

TEST(Examples, DigitsLearnsOnAMeshToo) {
  const Outcome outcome = run_example("digits", "--replicas 2 --mesh");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.last_line.find("test accuracy 0.9"), std::string::npos) << outcome.last_line;
}

TEST(Examples, ImportedModelsComputeWhatJaxComputed) { expect_prints("imported", "imported models: right\n"); }

TEST(Examples, ProgramsInCLoadTransformAndRun) {
  expect_prints("c/schools", "eight schools in C: right\n");
  expect_prints("c/imported", "imported model in C: right\n");
}

TEST(Examples, APendulumComesToRestWithinLimitsOfItsTorque) {
  expect_prints("optimal_control", "optimal control: right\n");
}

TEST(Examples, PendulumLearnsItsDamping) { expect_prints("pendulum", "damping 0.300: right\n"); }

TEST(Examples, NumbersAreThoseOfTheSameProgramsInJax) {
  const std::pair<const char*, const char*> examples[] = {{"neural_ode", "neural ODE"},
                                                          {"maml", "MAML"},
                                                          {"hmc", "HMC"},
                                                          {"inverse_kinematics", "inverse kinematics"},
                                                          {"controller", "controller"}};
  for (const auto& [program, name] : examples) {
    expect_prints(program, std::string(name) + ": right\n");
  }
}

TEST(Examples, RobotsMoveAsInPinocchioAndInClosedForms) {
  expect_prints("arm", "robot arm: right\n");
  expect_prints("reach", "reach: right\n");
  expect_prints("walker", "walker: right\n");
}

TEST(Examples, ControllersOfRobotsReachTheirGoals) {
  expect_prints("swing_up", "swing up: right\n");
  expect_prints("plan", "plan: right\n");
}

TEST(Examples, MandelbrotWritesAPictureOfTheRightArea) {
  const OutputFile picture("mandelbrot.png");
  const Outcome outcome = run_example("mandelbrot", picture.path());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.last_line.ends_with(": right\n")) << outcome.last_line;
  const StatusOr<std::string> bytes = read_file(picture.path());
  ASSERT_TRUE(bytes.ok()) << bytes.status().to_string();
  EXPECT_EQ(bytes.value().substr(1, 3), "PNG");
}

/// Runs an example that writes a page, and returns its last output.
std::string page_of(const std::string& name, const std::string& part) {
  const OutputFile report(name + ".html");
  const Outcome outcome = run_example(name, report.path());
  EXPECT_EQ(outcome.exit_code, 0) << name;
  const StatusOr<std::string> page = read_file(report.path());
  EXPECT_TRUE(page.ok()) << page.status().to_string();
  EXPECT_TRUE(page.ok() && page->find(part) != std::string::npos && page->ends_with("</html>\n")) << name;
  EXPECT_TRUE(page.ok() && page->find("http") == std::string::npos) << name;  // the page loads no other file
  return outcome.last_line;
}

TEST(Examples, TransformerLearnsToWriteALicence) {
  EXPECT_EQ(page_of("char_transformer", "What it writes:"), "character transformer: right\n");
}

TEST(Examples, ConvolutionalNetNamesDigitsAndComesBackFromItsCheckpoint) {
  EXPECT_EQ(page_of("digits_cnn", "what the first layer looks for"), "convolutional net: right\n");
}

TEST(Examples, VariationalAutoEncoderRebuildsDigits) {
  EXPECT_EQ(page_of("vae", "digits that nobody wrote"), "variational auto-encoder: right\n");
}

TEST(Examples, GaussianProcessFindsTheNoise) {
  EXPECT_EQ(page_of("gaussian_process", "<circle"), "Gaussian process: right\n");
}

TEST(Examples, EightSchoolsHasTheReferencesMeans) {
  EXPECT_EQ(page_of("eight_schools", "school  measured"), "eight schools: right\n");
}

TEST(Examples, FluidIsStirredIntoARing) { EXPECT_EQ(page_of("fluid", "data:image/png"), "fluid: right\n"); }

TEST(Examples, GreeksAreThoseOfTheFormulas) { EXPECT_EQ(page_of("option_greeks", "vega"), "option Greeks: right\n"); }

TEST(Examples, ModelsOfFinanceHaveTheirClosedFormsAndGreeks) { expect_prints("heston", "Heston: right\n"); }

TEST(Examples, ALikelihoodFitHasAnExactGradientAndHessian) { expect_prints("histfactory", "likelihood fit: right\n"); }

TEST(Examples, BundleAdjustmentEndsAtTheNoise) {
  EXPECT_EQ(page_of("bundle_adjustment", "the first camera"), "bundle adjustment: right\n");
}

TEST(Examples, KalmanFilterLearnsItsNoise) { EXPECT_EQ(page_of("kalman", "measured"), "Kalman filter: right\n"); }

TEST(Examples, ClustersAndComponentsFindTheDigits) {
  EXPECT_EQ(page_of("kmeans_pca", "ten clusters"), "k-means and PCA: right\n");
}

TEST(Examples, DigitsLearnsAndReports) {
  const OutputFile report("report.html");
  const Outcome outcome = run_example("digits", report.path());
  EXPECT_EQ(outcome.exit_code, 0);
  double accuracy = 0;
  ASSERT_EQ(std::sscanf(outcome.last_line.c_str(), "test accuracy %lf", &accuracy), 1) << outcome.last_line;
  EXPECT_GE(accuracy, 0.975);
  const StatusOr<std::string> page = read_file(report.path());
  ASSERT_TRUE(page.ok()) << page.status().to_string();
  for (const char* part : {"training loss", "test accuracy", "Confusion matrix", "train_step as traced",
                           "train_step after all passes", "</html>"}) {
    EXPECT_NE(page.value().find(part), std::string::npos) << part;
  }
  EXPECT_EQ(page.value().find("http"), std::string::npos);
}

TEST(Examples, DigitsRepeatsItselfToTheLastDigit) {
  const Outcome first = run_example("digits"), second = run_example("digits");
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_EQ(first.last_line, second.last_line);
}

/// The loss of every epoch in a report of the digits program.
std::vector<double> loss_curve(const std::string& arguments) {
  const OutputFile report("curve.html");
  const Outcome outcome = run_example("digits", report.path() + " " + arguments);
  EXPECT_EQ(outcome.exit_code, 0) << arguments;
  const StatusOr<std::string> page = read_file(report.path());
  if (!page.ok()) return {};
  const std::string begin = "data-values=\"";  // the first curve is the loss
  const size_t at = page->find(begin) + begin.size();
  std::istringstream numbers(page->substr(at, page->find('"', at) - at));
  return {std::istream_iterator<double>(numbers), {}};
}

TEST(Examples, DigitsHasOneLossCurveOnOneTwoAndFourReplicas) {
  const std::vector<double> one = loss_curve("");
  ASSERT_EQ(one.size(), 40u);
  EXPECT_LT(one.back(), 0.1 * one.front());  // the loss decreases
  for (const char* replicas : {"1", "2", "4"}) {
    const std::vector<double> curve = loss_curve(std::string("--replicas ") + replicas);
    ASSERT_EQ(curve.size(), one.size());
    for (size_t i = 0; i < one.size(); ++i)
      EXPECT_NEAR(curve[i], one[i], 1e-6) << "epoch " << i << " on " << replicas << " replicas";
  }
}

TEST(Examples, DigitsRefusesReplicasThatDontDivideABatch) {
  for (const char* arguments : {"--replicas 3", "--replicas 0", "--replicas", "--replicas two", "--no-such-thing"})
    EXPECT_EQ(run_example("digits", arguments).exit_code, 2) << arguments;
}

}  // namespace
}  // namespace hilo::tests
