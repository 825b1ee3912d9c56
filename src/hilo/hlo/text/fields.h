// SPDX-License-Identifier: Apache-2.0
// hlo/text/fields.h -- reads and writes values of attribute fields in HLO text, one form per FieldKind.
#pragma once

#include <functional>
#include <optional>

#include "hilo/hlo/ir/instruction.h"
#include "hilo/hlo/text/shapes.h"

namespace hilo::hlo::text {

/// A reference to a called computation that must be filled in later, because the text may define it later.
struct CallSite {
  InstructionId instruction;
  std::shared_ptr<Attributes> attributes;
  const AttributeField* field;         ///< of kind kComputation or kComputations
  size_t index;                        ///< index in the list, for kComputations
  std::string_view callee;             ///< name of the computation; "" if it is inline
  size_t position;                     ///< offset in the text
  std::optional<size_t> inlined = {};  ///< index of the inline computation
};

struct SharedState;  // shared by the computations of one text

/// Reads the inline computation `{ ... }` into `shared` and returns its index there.
StatusOr<size_t> read_inlined(Cursor& cursor, SharedState& shared);

/// Sets the reference at `site` to `computation`.
void fill(const CallSite& site, const ComputationPtr& computation);

struct FieldReader {
  Cursor& cursor;
  ShapeReader& shapes;
  InstructionId instruction;
  std::vector<CallSite>& calls;
  SharedState* shared = nullptr;  ///< null where inline computations aren't allowed
};

/// Reads the value of `field` into `attributes`; called computations become call sites.
/// Errors    INVALID_ARGUMENT for a value of another form, UNIMPLEMENTED for a value that only operands may have
Status read_field(FieldReader& reader, const AttributeField& field, const std::shared_ptr<Attributes>& attributes);

/// Reads `%f` or `{ instructions }`.
Status read_callee(FieldReader& reader, const AttributeField& field, const std::shared_ptr<Attributes>& attributes,
                   size_t index);

/// Reads `%f`, or `{%f, %g}`, into call sites of the list `field`. Returns their number.
StatusOr<size_t> read_computations(FieldReader& reader, const AttributeField& field,
                                   const std::shared_ptr<Attributes>& attributes);

/// Returns the lists written as `[rows[0],rows[1]]<=[sizes]T(permutation)`: 0, 1, ... as an array of shape `sizes`,
/// transposed, then reshaped to rows[0] rows of rows[1].
/// Errors    INVALID_ARGUMENT if the sizes differ, `permutation` isn't a permutation, or there are more than a million
/// ids
StatusOr<Int64Lists> iota_lists(std::span<const int64_t> rows, const Int64List& sizes, const Int64List& permutation);

using ComputationNames = std::function<std::string(const Computation&)>;

/// Appends the value of `field`, without its key.
void append_field(const AttributeField& field, const Attributes& attributes, bool layouts,
                  const ComputationNames& names, std::string& out);

/// Returns whether `field` has the value of a default-constructed struct.
bool is_default(const OpDef& def, const AttributeField& field, const Attributes& attributes);

/// Appends a list such as "{1,0}" or "{{0,1},{2}}".
void append_list(std::span<const int64_t> list, std::string& out);

}  // namespace hilo::hlo::text
