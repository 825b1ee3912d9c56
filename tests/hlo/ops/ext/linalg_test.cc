// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/linalg.h"

#include "hilo/hlo/ir/extensions.h"
#include "tests/hlo/ops/run_text.h"

namespace hilo::hlo {
namespace {

Fingerprint fingerprint_of(const StatusOr<Module>& module) {
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return module.ok() ? module->entry->fingerprint() : Fingerprint{};
}

TEST(Eig, SaysInTextThatItsVectorsMayBeDifferentiated) {
  const std::string plain =
      "  x = f32[2,2]{1,0} parameter(0)\n  ROOT e = (c64[2]{0}, c64[2,2]{1,0}) hilo.eig(x), "
      "compute_left_eigenvectors=false, compute_right_eigenvectors=true";
  const StatusOr<Module> silent = module_of_text(plain), marked = module_of_text(plain + ", enable_eigvec_derivs=true");
  EXPECT_NE(fingerprint_of(silent), fingerprint_of(marked));
  EXPECT_EQ(fingerprint_of(silent), fingerprint_of(module_of_text(plain + ", enable_eigvec_derivs=false")));
  for (const StatusOr<Module>& module : {silent, marked}) {
    const StatusOr<Module> again = parse_module(print_module(*module));
    EXPECT_EQ(fingerprint_of(again), fingerprint_of(module));
    EXPECT_EQ(again->entry->root().opcode, kExtEig);
  }
}

}  // namespace
}  // namespace hilo::hlo
