// SPDX-License-Identifier: Apache-2.0
// tools/hilo/simulate.cc -- `hilo simulate`: estimates the time of a step of a partitioned program on other devices.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>

#include "hilo/inspect/simulate/simulate.h"
#include "tools/hilo/command.h"
#include "tools/hilo/partitioned_file.h"

namespace hilo::tool {
namespace {

struct SimulateOptions {
  std::string file, topology = "ring";
  int64_t devices = 0, leaf = 8;
  double oversubscription = 1;
  std::string alpha = "1us", beta = "100GB/s", flops = "1T/s", transcendentals = "100G/s", memory = "100GB/s";
};

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit kTimes[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
constexpr Unit kRates[] = {{"/s", 1},  {"k/s", 1e3},  {"M/s", 1e6},  {"G/s", 1e9},  {"T/s", 1e12}, {"P/s", 1e15},
                           {"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};

/// Parses a quantity: "100GB/s" -> 1e11.
StatusOr<double> quantity(std::string_view option, std::string_view text, std::span<const Unit> units) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  for (const Unit& known : units) {
    if (error == std::errc() && known.name == unit && std::isfinite(number) && number > 0) return number * known.factor;
  }
  std::string names;
  for (const Unit& known : units) names += (names.empty() ? "" : ", ") + std::string(known.name);
  return invalid_argument(fmt::format("--{}: got '{}'; wanted a positive number with one of {}", option, text, names));
}

StatusOr<hlo::Machine> machine_of(const SimulateOptions& options) {
  hlo::Machine machine;
  HILO_ASSIGN_OR_RETURN(machine.flops, quantity("flops", options.flops, kRates));
  HILO_ASSIGN_OR_RETURN(machine.transcendentals, quantity("transcendentals", options.transcendentals, kRates));
  HILO_ASSIGN_OR_RETURN(machine.memory_bandwidth, quantity("memory", options.memory, kRates));
  HILO_ASSIGN_OR_RETURN(machine.links.latency, quantity("alpha", options.alpha, kTimes));
  HILO_ASSIGN_OR_RETURN(machine.links.bandwidth, quantity("beta", options.beta, kRates));
  HILO_ASSIGN_OR_RETURN(machine.links.topology, hlo::topology_named(options.topology));
  machine.links.leaf = options.leaf;
  machine.links.oversubscription = options.oversubscription;
  return machine;
}

Status run_simulation(const SimulateOptions& options) {
  HILO_ASSIGN_OR_RETURN(const hlo::Machine machine, machine_of(options));
  const std::optional<int64_t> devices = options.devices == 0 ? std::nullopt : std::optional(options.devices);
  HILO_ASSIGN_OR_RETURN(const PartitionedFile file, partition_file(options.file, devices));
  const int64_t count = file.request.mesh.device_count();
  const hlo::Simulation simulation = hlo::simulate(file.program.module, count, machine);
  return write_result(
      "",
      fmt::format("{} devices, {}, {} per message, {} per link; a device has {}, {} transcendental, {} of memory\n{}",
                  count, options.topology, options.alpha, options.beta, options.flops, options.transcendentals,
                  options.memory, hlo::to_string(simulation)));
}

}  // namespace

Command add_simulate(CLI::App& parent) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* app = parent.add_subcommand(
      "simulate", "Partition a program and estimate the time of a step on devices and links of known speed");
  app->add_option("FILE", options->file, "StableHLO with shardings, or a file of jax.export")->required();
  app->add_option("--devices", options->devices,
                  "Number of devices; the first axis of the mesh is resized. Default: the devices of the mesh")
      ->check(CLI::Range(int64_t{2}, int64_t{65536}))
      ->type_name("N");
  app->add_option("--topology", options->topology, "Topology: ring, torus2d, torus3d or fat-tree")
      ->check(CLI::IsMember({"ring", "torus2d", "torus3d", "fat-tree"}));
  app->add_option("--alpha", options->alpha, "Latency of a message or of a hop, for example 1us")->type_name("TIME");
  app->add_option("--beta", options->beta, "Bandwidth of a link in one direction, for example 100GB/s")
      ->type_name("RATE");
  app->add_option("--flops", options->flops, "Arithmetic operations per second of a device, for example 1T/s")
      ->type_name("RATE");
  app->add_option("--transcendentals", options->transcendentals,
                  "Transcendental operations (exp, log and similar) per second of a device, for example 100G/s")
      ->type_name("RATE");
  app->add_option("--memory", options->memory, "Memory bandwidth of a device, for example 100GB/s")->type_name("RATE");
  app->add_option("--leaf", options->leaf, "Fat tree only: number of devices under one switch")
      ->check(CLI::Range(int64_t{1}, int64_t{65536}))
      ->type_name("N");
  app->add_option("--oversubscription", options->oversubscription,
                  "Fat tree only: factor by which the links above the leaves carry less")
      ->check(CLI::Range(1.0, 1e6))
      ->type_name("X");
  return {app, [options] { return run_simulation(*options); }};
}

}  // namespace hilo::tool
