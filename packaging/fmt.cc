// SPDX-License-Identifier: Apache-2.0
// fmt.cc -- the part of libfmt that hilo's libraries call, compiled into the libraries of the wheel. Debian's libfmt is
// a shared library only, which needs a newer glibc.
#include <fmt/format-inl.h>

namespace fmt::detail {
template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template locale_ref::locale_ref(const std::locale&);
template auto locale_ref::get<std::locale>() const -> std::locale;
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
template void buffer<char>::append(const char*, const char*);
}  // namespace fmt::detail
