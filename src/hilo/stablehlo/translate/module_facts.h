// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/module_facts.h -- what a module of MLIR says beside its mathematics: attributes of the entry's arguments and
// results, of the module, meshes. HLO has fields for aliases; the rest it carries as text, and the writers give it back.
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/stablehlo/tree/tree_builder.h"

namespace hilo::stablehlo {

/// Keeps the facts of `tree` in `module`, which was made of its function `entry`: `tf.aliasing_output` where it fits as an
/// alias, all others as MLIR's text in the module's frontend attribute `hilo.mlir`.
void keep_facts(const ModuleTree& tree, const Operation& entry, hlo::Module& module);

/// Facts in a tree that is being written.
struct ModuleFacts {
  std::vector<AttributeId> arguments, results;  ///< dictionaries, one each; or none, if the entry's aren't as many
  std::vector<NamedAttribute> own;              ///< the module's
  struct Mesh {
    AttributeId name, mesh;
  };
  std::vector<Mesh> meshes;
};

/// What was kept, and the module's aliases, for its entry. Portable artefacts have no
/// attributes of Shardy: shardings stand there as frontend attributes xla.sdy.*, as JAX exports them, and module attributes
/// are left out.
/// Errors    INVALID_ARGUMENT if the frontend attribute isn't what keep_facts wrote
StatusOr<ModuleFacts> kept_facts(const hlo::Module& module, bool portable, TreeBuilder& builder);

}  // namespace hilo::stablehlo
