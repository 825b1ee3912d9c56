// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/module_facts.h -- attributes of an MLIR module that HLO has no fields for: those of the entry's
// arguments and results, of the module, and meshes. They are stored as text and restored by the writers.
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/stablehlo/tree/tree_builder.h"

namespace hilo::stablehlo {

/// Stores the attributes of `tree` in `module`, which was translated from its function `entry`. A valid
/// `tf.aliasing_output` becomes an alias. All other attributes are stored as MLIR text in the module's frontend
/// attribute `hilo.mlir`.
void keep_facts(const ModuleTree& tree, const Operation& entry, hlo::Module& module);

/// The stored attributes in a tree that is being written.
struct ModuleFacts {
  /// one dictionary each; none if their number differs from that of the entry's values
  std::vector<AttributeId> arguments, results;
  std::vector<NamedAttribute> own;  ///< attributes of the module
  struct Mesh {
    AttributeId name, mesh;
  };
  std::vector<Mesh> meshes;
};

/// Restores the stored attributes and the module's aliases. Portable artefacts have no Shardy attributes: there,
/// shardings are frontend attributes xla.sdy.*, as in JAX's exports, and module attributes are omitted.
/// Errors    INVALID_ARGUMENT if the frontend attribute wasn't written by keep_facts
StatusOr<ModuleFacts> kept_facts(const hlo::Module& module, bool portable, TreeBuilder& builder);

}  // namespace hilo::stablehlo
