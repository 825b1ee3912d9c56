// SPDX-License-Identifier: Apache-2.0
// hlo/text/fields.h -- values of attribute fields in HLO text, one form per FieldKind, both directions.
#pragma once

#include <functional>
#include <optional>

#include "hilo/hlo/ir/instruction.h"
#include "hilo/hlo/text/shapes.h"

namespace hilo::hlo::text {

/// A place that waits for a called computation: the text may define it later.
struct CallSite {
  InstructionId instruction;
  std::shared_ptr<Attributes> attributes;
  const AttributeField* field;         ///< of kind kComputation or kComputations
  size_t index;                        ///< in the list, for kComputations
  std::string_view callee;             ///< its name; "" if it is written where it is called
  size_t position;                     ///< in the text
  std::optional<size_t> inlined = {};  ///< which of the computations that are written where they are called
};

struct SharedState;  // of the computations of one text

/// Reads the computation that is written where it is called, `{ ... }`, into `shared`, and returns its number there.
StatusOr<size_t> read_inlined(Cursor& cursor, SharedState& shared);

/// Puts `computation` where `site` waits for it.
void fill(const CallSite& site, const ComputationPtr& computation);

struct FieldReader {
  Cursor& cursor;
  ShapeReader& shapes;
  InstructionId instruction;
  std::vector<CallSite>& calls;
  SharedState* shared = nullptr;  ///< null where called computations can only be named
};

/// Reads the value of `field` into `attributes`; called computations become call sites.
/// Errors    INVALID_ARGUMENT for a value of another form, UNIMPLEMENTED for a value only operand slots may have
Status read_field(FieldReader& reader, const AttributeField& field, const std::shared_ptr<Attributes>& attributes);

/// Reads `%f` or `{ instructions }`.
Status read_callee(FieldReader& reader, const AttributeField& field, const std::shared_ptr<Attributes>& attributes,
                   size_t index);

/// Reads `%f`, or `{%f, %g}`, into call sites of the list `field`; returns how many.
StatusOr<size_t> read_computations(FieldReader& reader, const AttributeField& field,
                                   const std::shared_ptr<Attributes>& attributes);

/// The lists that `[rows[0],rows[1]]<=[sizes]T(permutation)` stands for: 0, 1, ... as an array of `sizes`, transposed, in
/// rows[0] rows of rows[1].
/// Errors    INVALID_ARGUMENT if the sizes differ or `permutation` is none; for more than a million ids
StatusOr<Int64Lists> iota_lists(std::span<const int64_t> rows, const Int64List& sizes, const Int64List& permutation);

using ComputationNames = std::function<std::string(const Computation&)>;

/// Appends the value of `field`, without its key.
void append_field(const AttributeField& field, const Attributes& attributes, bool layouts,
                  const ComputationNames& names, std::string& out);

/// Whether `attributes` has the value of a default-constructed struct in `field`.
bool is_default(const OpDef& def, const AttributeField& field, const Attributes& attributes);

/// "{1,0}", "{{0,1},{2}}"
void append_list(std::span<const int64_t> list, std::string& out);

}  // namespace hilo::hlo::text
