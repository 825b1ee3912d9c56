// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/short_fft.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

#include "hilo/base/buffer_pool.h"

namespace hilo::hlo {

bool is_short_fft(std::span<const int64_t> lengths) {
  return std::all_of(lengths.begin(), lengths.end(), [](int64_t n) { return n > 0 && n <= kLongestShortLine; });
}

namespace {

// ---- what a length needs

/// exp(2 pi i k / n), from two tables of sines of at most an eighth of a turn.
class UnitRoots {
 public:
  explicit UnitRoots(int64_t n) : n_(n) {
    const int64_t wanted = (n + 2) / 2;
    shift_ = 1;
    while ((int64_t{1} << shift_) * (int64_t{1} << shift_) < wanted) ++shift_;
    const int64_t count = int64_t{1} << shift_;
    for (int64_t i = 0; i < count; ++i) near_.push_back(direct(i));
    for (int64_t i = 0; i < (wanted + count - 1) / count; ++i) far_.push_back(direct(i * count));
  }

  Turn<double> operator[](int64_t k) const {
    const bool mirrored = 2 * k > n_;
    if (mirrored) k = n_ - k;
    const Turn<double> a = near_[static_cast<size_t>(k & ((int64_t{1} << shift_) - 1))];
    const Turn<double> b = far_[static_cast<size_t>(k >> shift_)];
    const double im = a.re * b.im + a.im * b.re;
    return {a.re * b.re - a.im * b.im, mirrored ? -im : im};
  }

 private:
  Turn<double> direct(int64_t k) const {
    if (k == 0) return {1, 0};
    const auto unit = static_cast<double>(0.25L * std::numbers::pi_v<long double> / static_cast<long double>(n_));
    const auto angle = [&](int64_t eighths) { return static_cast<double>(eighths) * unit; };
    int64_t x = 8 * k;
    const bool lower = x >= 4 * n_;
    if (lower) x = 8 * n_ - x;
    const bool left = x >= 2 * n_;
    if (left) x -= 2 * n_;
    const bool steep = x >= n_;
    const double c = steep ? std::sin(angle(2 * n_ - x)) : std::cos(angle(x));
    const double s = steep ? std::cos(angle(2 * n_ - x)) : std::sin(angle(x));
    const double re = left ? -s : c, im = left ? c : s;
    return {re, lower ? -im : im};
  }

  int64_t n_, shift_ = 1;
  std::vector<Turn<double>> near_, far_;
};

/// Factors in the order of their passes: eights (if wanted), fours, a two in front, odd primes.
std::vector<int64_t> factors_of(int64_t n, bool eights) {
  std::vector<int64_t> factors;
  for (; eights && n % 8 == 0; n /= 8) factors.push_back(8);
  for (; n % 4 == 0; n /= 4) factors.push_back(4);
  if (n % 2 == 0) {
    n /= 2;
    factors.push_back(2);
    std::swap(factors.front(), factors.back());
  }
  for (int64_t divisor = 3; divisor * divisor <= n; divisor += 2) {
    for (; n % divisor == 0; n /= divisor) factors.push_back(divisor);
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

/// exp(2 pi i k / radix), rounded once.
template <typename T>
Turn<T> exact_root(int64_t k, int64_t radix) {
  const bool mirrored = 2 * k > radix;
  const int64_t at = mirrored ? radix - k : k;
  const long double angle =
      2 * std::numbers::pi_v<long double> * static_cast<long double>(at) / static_cast<long double>(radix);
  const auto im = static_cast<T>(std::sin(angle));
  return {static_cast<T>(std::cos(angle)), mirrored ? -im : im};
}

template <typename T>
std::vector<FftPass<T>> passes_of(int64_t length, bool is_real) {
  std::vector<FftPass<T>> passes;
  if (length == 1) return passes;
  const UnitRoots unit(length);
  const auto narrowed = [](const Turn<double>& t) { return Turn<T>{static_cast<T>(t.re), static_cast<T>(t.im)}; };
  int64_t outer = 1;
  for (const int64_t radix : factors_of(length, !is_real)) {
    FftPass<T>& pass = passes.emplace_back(FftPass<T>{radix, length / (outer * radix), outer, {}, {}});
    const int64_t turned = is_real ? (pass.inner - 1) / 2 : pass.inner - 1;
    for (int64_t j = 1; j < radix; ++j) {
      for (int64_t i = 1; i <= turned; ++i) pass.turns.push_back(narrowed(unit[j * outer * i]));
    }
    const bool has_constants = radix <= (is_real ? 5 : 11);
    for (int64_t k = 0; radix % 2 != 0 && k < radix; ++k)
      pass.roots.push_back(has_constants ? exact_root<T>(k, radix) : narrowed(unit[k * (length / radix)]));
    outer *= radix;
  }
  return passes;
}

// ---- sums

constexpr int64_t kMostRadix = kLongestShortLine;

/// base + w(1) x(1) + w(2) x(2) + ... where the first two join the base and the others go in groups of up to `most`.
template <typename V, typename Weight, typename Term>
V grouped_sum(V sum, bool has_base, int64_t count, int64_t most, const Weight& weight, const Term& term) {
  sum = has_base ? sum + weight(1) * term(1) : weight(1) * term(1);
  if (count >= 2) sum = sum + weight(2) * term(2);
  for (int64_t j = 3; j <= count;) {
    const int64_t left = count - j + 1, group = most >= 4 && left >= 4 ? 4 : most >= 2 && left >= 2 ? 2 : 1;
    V part = weight(j) * term(j);
    for (int64_t k = 1; k < group; ++k) part = part + weight(j + k) * term(j + k);
    sum = sum + part;
    j += group;
  }
  return sum;
}

/// Cosine and sine sums of branch l over the pairs 1..half of an odd radix.
template <typename T>
struct OddRadix {
  const FftPass<T>& pass;
  int64_t group;

  int64_t half() const { return pass.radix / 2; }
  const Turn<T>& root(int64_t j, int64_t l) const { return pass.roots[static_cast<size_t>(j * l % pass.radix)]; }

  template <typename V>
  V plain(V first, const V* terms) const {
    for (int64_t j = 1; j <= half(); ++j) first = first + terms[j];
    return first;
  }
  template <typename V>
  V cosines(int64_t l, V base, const V* terms) const {
    return grouped_sum(
        base, true, half(), group, [&](int64_t j) { return root(j, l).re; }, [&](int64_t j) { return terms[j]; });
  }
  template <typename V>
  V sines(int64_t l, const V* terms) const {
    return grouped_sum(
        V{}, false, half(), group, [&](int64_t j) { return root(j, l).im; }, [&](int64_t j) { return terms[j]; });
  }
};

// ---- complex lines

template <typename V>
struct Pair {
  V re, im;
};
template <typename V>
Pair<V> operator+(const Pair<V>& a, const Pair<V>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <typename V>
Pair<V> operator-(const Pair<V>& a, const Pair<V>& b) {
  return {a.re - b.re, a.im - b.im};
}

/// Times the root, or its conjugate.
template <bool kForward, typename V, typename T>
Pair<V> turned(const Pair<V>& v, const Turn<T>& w) {
  if constexpr (kForward) return {v.re * w.re + v.im * w.im, v.im * w.re - v.re * w.im};
  else return {v.re * w.re - v.im * w.im, v.re * w.im + v.im * w.re};
}
/// Times -i, or i.
template <bool kForward, typename V>
Pair<V> quarter(const Pair<V>& a) {
  if constexpr (kForward) return {a.im, -a.re};
  else return {-a.im, a.re};
}
template <bool kForward, typename V, typename T>
Pair<V> eighth(const Pair<V>& a, T h) {
  if constexpr (kForward) return {h * (a.re + a.im), h * (a.im - a.re)};
  else return {h * (a.re - a.im), h * (a.im + a.re)};
}
template <bool kForward, typename V, typename T>
Pair<V> three_eighths(const Pair<V>& a, T h) {
  if constexpr (kForward) return {h * (a.im - a.re), h * (-a.re - a.im)};
  else return {h * (-a.re - a.im), h * (a.re - a.im)};
}

template <bool kForward, typename V>
void butterfly4(Pair<V>* a) {
  const Pair<V> t2 = a[0] + a[2], t1 = a[0] - a[2], t3 = a[1] + a[3], t4 = quarter<kForward>(a[1] - a[3]);
  a[0] = t2 + t3;
  a[1] = t1 + t4;
  a[2] = t2 - t3;
  a[3] = t1 - t4;
}

template <bool kForward, typename T, typename V>
void butterfly8(Pair<V>* a) {
  constexpr T kHalfRoot = static_cast<T>(0.707106781186547524400844362104849L);
  Pair<V> a1 = a[1] + a[5], a5 = a[1] - a[5], a3 = a[3] + a[7], a7 = quarter<kForward>(a[3] - a[7]);
  const Pair<V> sum13 = a1 + a3, odd13 = quarter<kForward>(a1 - a3);
  const Pair<V> sum57 = eighth<kForward>(a5 + a7, kHalfRoot), odd57 = three_eighths<kForward>(a5 - a7, kHalfRoot);
  const Pair<V> a0 = a[0] + a[4], a4 = a[0] - a[4], a2 = a[2] + a[6], a6 = quarter<kForward>(a[2] - a[6]);
  const Pair<V> even = a0 + a2, odd = a0 - a2, near = a4 + a6, far = a4 - a6;
  a[0] = even + sum13;
  a[4] = even - sum13;
  a[2] = odd + odd13;
  a[6] = odd - odd13;
  a[1] = near + sum57;
  a[5] = near - sum57;
  a[3] = far + odd57;
  a[7] = far - odd57;
}

template <bool kForward, typename T, typename V>
void butterfly_odd(const FftPass<T>& pass, Pair<V>* a) {
  const OddRadix<T> odd{pass, pass.radix > 11 ? 2 : 1};
  std::array<V, kMostRadix> sum_re, sum_im, gap_re, gap_im;
  for (int64_t j = 1; j <= odd.half(); ++j) {
    const Pair<V> s = a[j] + a[pass.radix - j], d = a[j] - a[pass.radix - j];
    const auto at = static_cast<size_t>(j);
    sum_re[at] = s.re;
    sum_im[at] = s.im;
    gap_re[at] = d.re;
    gap_im[at] = d.im;
  }
  const Pair<V> first = a[0];
  a[0] = {odd.plain(first.re, sum_re.data()), odd.plain(first.im, sum_im.data())};
  for (int64_t l = 1; l <= odd.half(); ++l) {
    const Pair<V> even = {odd.cosines(l, first.re, sum_re.data()), odd.cosines(l, first.im, sum_im.data())};
    const Pair<V> side = quarter<kForward>(Pair<V>{odd.sines(l, gap_re.data()), odd.sines(l, gap_im.data())});
    a[l] = even + side;
    a[pass.radix - l] = even - side;
  }
}

template <bool kForward, typename T, typename V>
void complex_pass(const FftPass<T>& pass, const Pair<V>* in, Pair<V>* out) {
  const int64_t radix = pass.radix, inner = pass.inner, outer = pass.outer;
  std::array<Pair<V>, kMostRadix> a;
  for (int64_t k = 0; k < outer; ++k) {
    for (int64_t i = 0; i < inner; ++i) {
      for (int64_t j = 0; j < radix; ++j) a[static_cast<size_t>(j)] = in[i + inner * (j + radix * k)];
      if (radix == 2) {
        const Pair<V> sum = a[0] + a[1];
        a[1] = a[0] - a[1];
        a[0] = sum;
      } else if (radix == 4) {
        butterfly4<kForward>(a.data());
      } else if (radix == 8) {
        butterfly8<kForward, T>(a.data());
      } else {
        butterfly_odd<kForward>(pass, a.data());
      }
      out[i + inner * k] = a[0];
      for (int64_t j = 1; j < radix; ++j) {
        const Pair<V>& value = a[static_cast<size_t>(j)];
        out[i + inner * (k + outer * j)] =
            i == 0 ? value : turned<kForward>(value, pass.turns[static_cast<size_t>((j - 1) * (inner - 1) + i - 1)]);
      }
    }
  }
}

/// The result is in x. `other`: as long.
template <bool kForward, typename T, typename V>
void complex_line(const ShortFft<T>& plan, Pair<V>* x, Pair<V>* other) {
  Pair<V>*from = x, *to = other;
  for (const FftPass<T>& pass : plan.complex) {
    complex_pass<kForward>(pass, from, to);
    std::swap(from, to);
  }
  if (from != x) std::copy_n(from, plan.length, x);
}

// ---- real lines. The transform lies as re 0, re 1, im 1, re 2, ...

/// in as [k over outer][j over radix][i], out the other way round; or, backward, from out to in.
template <typename V>
struct Place {
  V* data;
  int64_t inner, middle;
  V& operator()(int64_t i, int64_t b, int64_t c) const { return data[i + inner * (b + middle * c)]; }
};

template <typename V, typename T>
void turn_back(const Turn<T>& w, V re, V im, V& to_re, V& to_im) {  // times the conjugate
  to_re = w.re * re + w.im * im;
  to_im = w.re * im - w.im * re;
}

template <typename T>
struct RealPass {
  const FftPass<T>& pass;

  const Turn<T>& turn(int64_t j, int64_t i) const {
    return pass.turns[static_cast<size_t>((j - 1) * ((pass.inner - 1) / 2) + i / 2 - 1)];
  }

  template <typename V>
  void forward2(Place<V> in, Place<V> out) const {
    const int64_t n = pass.inner;
    for (int64_t k = 0; k < pass.outer; ++k) {
      const V a = in(0, k, 0), b = in(0, k, 1);
      out(0, 0, k) = a + b;
      out(n - 1, 1, k) = a - b;
      if (n % 2 == 0) {
        out(0, 1, k) = -in(n - 1, k, 1);
        out(n - 1, 0, k) = in(n - 1, k, 0);
      }
      for (int64_t i = 2; i < n; i += 2) {
        V re, im;
        turn_back(turn(1, i), in(i - 1, k, 1), in(i, k, 1), re, im);
        out(i - 1, 0, k) = in(i - 1, k, 0) + re;
        out(n - i - 1, 1, k) = in(i - 1, k, 0) - re;
        out(i, 0, k) = im + in(i, k, 0);
        out(n - i, 1, k) = im - in(i, k, 0);
      }
    }
  }

  template <typename V>
  void forward4(Place<V> in, Place<V> out) const {
    constexpr T kHalfRoot = static_cast<T>(0.707106781186547524400844362104849L);
    const int64_t n = pass.inner;
    for (int64_t k = 0; k < pass.outer; ++k) {
      const V odd = in(0, k, 3) + in(0, k, 1), even = in(0, k, 0) + in(0, k, 2);
      out(0, 2, k) = in(0, k, 3) - in(0, k, 1);
      out(n - 1, 1, k) = in(0, k, 0) - in(0, k, 2);
      out(0, 0, k) = even + odd;
      out(n - 1, 3, k) = even - odd;
      if (n % 2 == 0) {
        const V im = -kHalfRoot * (in(n - 1, k, 1) + in(n - 1, k, 3));
        const V re = kHalfRoot * (in(n - 1, k, 1) - in(n - 1, k, 3));
        out(n - 1, 0, k) = in(n - 1, k, 0) + re;
        out(n - 1, 2, k) = in(n - 1, k, 0) - re;
        out(0, 3, k) = im + in(n - 1, k, 2);
        out(0, 1, k) = im - in(n - 1, k, 2);
      }
      for (int64_t i = 2; i < n; i += 2) forward4_at(in, out, k, i);
    }
  }

  template <typename V>
  void forward4_at(Place<V> in, Place<V> out, int64_t k, int64_t i) const {
    const int64_t ic = pass.inner - i;
    std::array<V, 4> re, im;
    for (int64_t j = 1; j < 4; ++j)
      turn_back(turn(j, i), in(i - 1, k, j), in(i, k, j), re[static_cast<size_t>(j)], im[static_cast<size_t>(j)]);
    const V tr1 = re[3] + re[1], tr4 = re[3] - re[1], ti1 = im[1] + im[3], ti4 = im[1] - im[3];
    const V tr2 = in(i - 1, k, 0) + re[2], tr3 = in(i - 1, k, 0) - re[2];
    const V ti2 = in(i, k, 0) + im[2], ti3 = in(i, k, 0) - im[2];
    out(i - 1, 0, k) = tr2 + tr1;
    out(ic - 1, 3, k) = tr2 - tr1;
    out(i, 0, k) = ti1 + ti2;
    out(ic, 3, k) = ti1 - ti2;
    out(i - 1, 2, k) = tr3 + ti4;
    out(ic - 1, 1, k) = tr3 - ti4;
    out(i, 2, k) = tr4 + ti3;
    out(ic, 1, k) = tr4 - ti3;
  }

  template <typename V>
  void forward_odd(Place<V> in, Place<V> out) const {
    const OddRadix<T> odd{pass, pass.radix > 5 ? 4 : 1};
    const int64_t n = pass.inner, radix = pass.radix;
    std::array<V, kMostRadix> sum, gap, sum_im, gap_im, re, im;
    for (int64_t k = 0; k < pass.outer; ++k) {
      for (int64_t j = 1; j <= odd.half(); ++j) {
        sum[static_cast<size_t>(j)] = in(0, k, radix - j) + in(0, k, j);
        gap[static_cast<size_t>(j)] = in(0, k, radix - j) - in(0, k, j);
      }
      out(0, 0, k) = odd.plain(in(0, k, 0), sum.data());
      for (int64_t l = 1; l <= odd.half(); ++l) {
        out(n - 1, 2 * l - 1, k) = odd.cosines(l, in(0, k, 0), sum.data());
        out(0, 2 * l, k) = odd.sines(l, gap.data());
      }
      for (int64_t i = 2; i < n; i += 2) {
        for (int64_t j = 1; j < radix; ++j)
          turn_back(turn(j, i), in(i - 1, k, j), in(i, k, j), re[static_cast<size_t>(j)], im[static_cast<size_t>(j)]);
        for (int64_t j = 1; j <= odd.half(); ++j) {
          const auto a = static_cast<size_t>(j), b = static_cast<size_t>(radix - j);
          sum[a] = re[a] + re[b];
          sum_im[a] = im[a] + im[b];
          gap[a] = im[a] - im[b];
          gap_im[a] = re[b] - re[a];
        }
        out(i - 1, 0, k) = odd.plain(in(i - 1, k, 0), sum.data());
        out(i, 0, k) = odd.plain(in(i, k, 0), sum_im.data());
        for (int64_t l = 1; l <= odd.half(); ++l) {
          const V tr = odd.cosines(l, in(i - 1, k, 0), sum.data()), ti = odd.cosines(l, in(i, k, 0), sum_im.data());
          const V ur = odd.sines(l, gap.data()), ui = odd.sines(l, gap_im.data());
          out(i - 1, 2 * l, k) = tr + ur;
          out(n - i - 1, 2 * l - 1, k) = tr - ur;
          out(i, 2 * l, k) = ui + ti;
          out(n - i, 2 * l - 1, k) = ui - ti;
        }
      }
    }
  }

  template <typename V>
  void backward2(Place<V> in, Place<V> out) const {
    const int64_t n = pass.inner;
    for (int64_t k = 0; k < pass.outer; ++k) {
      out(0, k, 0) = in(0, 0, k) + in(n - 1, 1, k);
      out(0, k, 1) = in(0, 0, k) - in(n - 1, 1, k);
      if (n % 2 == 0) {
        out(n - 1, k, 0) = T(2) * in(n - 1, 0, k);
        out(n - 1, k, 1) = T(-2) * in(0, 1, k);
      }
      for (int64_t i = 2; i < n; i += 2) {
        const int64_t ic = n - i;
        const V re = in(i - 1, 0, k) - in(ic - 1, 1, k), im = in(i, 0, k) + in(ic, 1, k);
        out(i - 1, k, 0) = in(i - 1, 0, k) + in(ic - 1, 1, k);
        out(i, k, 0) = in(i, 0, k) - in(ic, 1, k);
        turn_back(turn(1, i), im, re, out(i, k, 1), out(i - 1, k, 1));
      }
    }
  }

  template <typename V>
  void backward4(Place<V> in, Place<V> out) const {
    constexpr T kRoot = static_cast<T>(1.414213562373095048801688724209698L);
    const int64_t n = pass.inner;
    for (int64_t k = 0; k < pass.outer; ++k) {
      const V sum = in(0, 0, k) + in(n - 1, 3, k), gap = in(0, 0, k) - in(n - 1, 3, k);
      const V tr3 = T(2) * in(n - 1, 1, k), tr4 = T(2) * in(0, 2, k);
      out(0, k, 0) = sum + tr3;
      out(0, k, 2) = sum - tr3;
      out(0, k, 3) = gap + tr4;
      out(0, k, 1) = gap - tr4;
      if (n % 2 == 0) {
        const V ti1 = in(0, 3, k) + in(0, 1, k), ti2 = in(0, 3, k) - in(0, 1, k);
        const V tr2 = in(n - 1, 0, k) + in(n - 1, 2, k), tr1 = in(n - 1, 0, k) - in(n - 1, 2, k);
        out(n - 1, k, 0) = tr2 + tr2;
        out(n - 1, k, 1) = kRoot * (tr1 - ti1);
        out(n - 1, k, 2) = ti2 + ti2;
        out(n - 1, k, 3) = -kRoot * (tr1 + ti1);
      }
      for (int64_t i = 2; i < n; i += 2) backward4_at(in, out, k, i);
    }
  }

  template <typename V>
  void backward4_at(Place<V> in, Place<V> out, int64_t k, int64_t i) const {
    const int64_t ic = pass.inner - i;
    const V tr2 = in(i - 1, 0, k) + in(ic - 1, 3, k), tr1 = in(i - 1, 0, k) - in(ic - 1, 3, k);
    const V ti1 = in(i, 0, k) + in(ic, 3, k), ti2 = in(i, 0, k) - in(ic, 3, k);
    const V tr4 = in(i, 2, k) + in(ic, 1, k), ti3 = in(i, 2, k) - in(ic, 1, k);
    const V tr3 = in(i - 1, 2, k) + in(ic - 1, 1, k), ti4 = in(i - 1, 2, k) - in(ic - 1, 1, k);
    out(i - 1, k, 0) = tr2 + tr3;
    out(i, k, 0) = ti2 + ti3;
    const std::array<V, 4> re = {V{}, tr1 - tr4, tr2 - tr3, tr1 + tr4}, im = {V{}, ti1 + ti4, ti2 - ti3, ti1 - ti4};
    for (int64_t j = 1; j < 4; ++j)
      turn_back(turn(j, i), im[static_cast<size_t>(j)], re[static_cast<size_t>(j)], out(i, k, j), out(i - 1, k, j));
  }

  template <typename V>
  void backward_odd(Place<V> in, Place<V> out) const {
    const OddRadix<T> odd{pass, pass.radix > 5 ? 4 : 1};
    const int64_t n = pass.inner, radix = pass.radix;
    std::array<V, kMostRadix> sum, gap, sum_im, gap_im;
    for (int64_t k = 0; k < pass.outer; ++k) {
      for (int64_t j = 1; j <= odd.half(); ++j) {
        sum[static_cast<size_t>(j)] = T(2) * in(n - 1, 2 * j - 1, k);
        gap[static_cast<size_t>(j)] = T(2) * in(0, 2 * j, k);
      }
      out(0, k, 0) = odd.plain(in(0, 0, k), sum.data());
      for (int64_t l = 1; l <= odd.half(); ++l) {
        const V even = odd.cosines(l, in(0, 0, k), sum.data()), side = odd.sines(l, gap.data());
        out(0, k, radix - l) = even + side;
        out(0, k, l) = even - side;
      }
      for (int64_t i = 2; i < n; i += 2) {
        const int64_t ic = n - i;
        for (int64_t j = 1; j <= odd.half(); ++j) {
          const auto at = static_cast<size_t>(j);
          sum[at] = in(i - 1, 2 * j, k) + in(ic - 1, 2 * j - 1, k);
          gap[at] = in(i - 1, 2 * j, k) - in(ic - 1, 2 * j - 1, k);
          sum_im[at] = in(i, 2 * j, k) - in(ic, 2 * j - 1, k);
          gap_im[at] = in(i, 2 * j, k) + in(ic, 2 * j - 1, k);
        }
        out(i - 1, k, 0) = odd.plain(in(i - 1, 0, k), sum.data());
        out(i, k, 0) = odd.plain(in(i, 0, k), sum_im.data());
        for (int64_t l = 1; l <= odd.half(); ++l) {
          const V cr = odd.cosines(l, in(i - 1, 0, k), sum.data()), ci = odd.cosines(l, in(i, 0, k), sum_im.data());
          const V qr = odd.sines(l, gap.data()), qi = odd.sines(l, gap_im.data());
          turn_back(turn(l, i), V(ci + qr), V(cr - qi), out(i, k, l), out(i - 1, k, l));
          turn_back(turn(radix - l, i), V(ci - qr), V(cr + qi), out(i, k, radix - l), out(i - 1, k, radix - l));
        }
      }
    }
  }
};

template <bool kForward, typename T, typename V>
void real_pass(const FftPass<T>& pass, V* in, V* out) {
  const RealPass<T> p{pass};
  if constexpr (kForward) {
    const Place<V> from{in, pass.inner, pass.outer}, to{out, pass.inner, pass.radix};
    if (pass.radix == 2) p.forward2(from, to);
    else if (pass.radix == 4) p.forward4(from, to);
    else p.forward_odd(from, to);
  } else {
    const Place<V> from{in, pass.inner, pass.radix}, to{out, pass.inner, pass.outer};
    if (pass.radix == 2) p.backward2(from, to);
    else if (pass.radix == 4) p.backward4(from, to);
    else p.backward_odd(from, to);
  }
}

template <bool kForward, typename T, typename V>
void real_line(const ShortFft<T>& plan, V* x, V* other) {
  V *from = x, *to = other;
  for (size_t k = 0; k < plan.real.size(); ++k) {
    real_pass<kForward>(plan.real[kForward ? plan.real.size() - 1 - k : k], from, to);
    std::swap(from, to);
  }
  if (from != x) std::copy_n(from, plan.length, x);
}

// ---- arrays: a block of lines at a time, a line a lane

template <typename T>
struct Lanes {
  static constexpr int64_t kCount = 16 / static_cast<int64_t>(sizeof(T));
  typedef T Vector __attribute__((vector_size(16)));
};

template <typename T>
int64_t blocks_of(int64_t lines) {
  return (lines + Lanes<T>::kCount - 1) / Lanes<T>::kCount;
}

}  // namespace

template <typename T>
ShortFft<T>::ShortFft(int64_t n) : length(n), complex(passes_of<T>(n, false)), real(passes_of<T>(n, true)) {}

template <typename T>
ShortFftArray<T>::ShortFftArray(const FftAttributes& attributes, std::span<const int64_t> sizes)
    : type_(attributes.fft_type),
      sizes_(sizes.begin(), sizes.end()),
      first_(sizes.size() - attributes.fft_length.size()) {
  long double total = 1;
  for (const int64_t n : attributes.fft_length) {
    plans_.emplace_back(n);
    total *= static_cast<long double>(n);
  }
  if (type_ == FftType::kIfft || type_ == FftType::kIrfft) scale_ = static_cast<double>(1 / total);
}

template <typename T>
int64_t ShortFftArray<T>::rows() const {
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < sizes_.size(); ++d) rows *= sizes_[d];
  return rows;
}

/// Lines along `dimension`, with `scale` afterwards.
template <typename T>
void ShortFftArray<T>::run_complex(size_t dimension, const T* from, T* to, T scale, Blocks blocks) const {
  using V = typename Lanes<T>::Vector;
  constexpr int64_t kLanes = Lanes<T>::kCount;
  const ShortFft<T>& plan = plans_[dimension - first_];
  int64_t inner = 1, outer = 1;
  for (size_t e = 0; e < sizes_.size(); ++e) (e < dimension ? outer : inner) *= e == dimension ? 1 : sizes_[e];
  const int64_t n = plan.length, lines = inner * outer;
  const bool forward = type_ == FftType::kFft || type_ == FftType::kRfft;
  blocks(blocks_of<T>(lines), [&](int64_t block) {
    std::array<Pair<V>, kLongestShortLine> x, other;
    const int64_t begin = block * kLanes, used = std::min(kLanes, lines - begin);
    const auto at = [&](int64_t lane, int64_t k) {
      const int64_t line = begin + lane;
      return 2 * (line / inner * inner * n + line % inner + k * inner);
    };
    std::fill_n(x.begin(), n, Pair<V>{});
    for (int64_t lane = 0; lane < used; ++lane) {
      for (int64_t k = 0; k < n; ++k) {
        x[static_cast<size_t>(k)].re[lane] = from[at(lane, k)];
        x[static_cast<size_t>(k)].im[lane] = from[at(lane, k) + 1];
      }
    }
    if (forward) complex_line<true>(plan, x.data(), other.data());
    else complex_line<false>(plan, x.data(), other.data());
    for (int64_t lane = 0; lane < used; ++lane) {
      for (int64_t k = 0; k < n; ++k) {
        to[at(lane, k)] = x[static_cast<size_t>(k)].re[lane] * scale;
        to[at(lane, k) + 1] = x[static_cast<size_t>(k)].im[lane] * scale;
      }
    }
  });
}

template <typename T>
void ShortFftArray<T>::run_forward(const T* in, T* out, Blocks blocks) const {
  using V = typename Lanes<T>::Vector;
  constexpr int64_t kLanes = Lanes<T>::kCount;
  const ShortFft<T>& plan = plans_.back();
  const int64_t n = plan.length, kept = n / 2 + 1, lines = rows();
  blocks(blocks_of<T>(lines), [&](int64_t block) {
    std::array<V, kLongestShortLine> x, other;
    const int64_t begin = block * kLanes, used = std::min(kLanes, lines - begin);
    std::fill_n(x.begin(), n, V{});
    for (int64_t lane = 0; lane < used; ++lane) {
      for (int64_t k = 0; k < n; ++k) x[static_cast<size_t>(k)][lane] = in[(begin + lane) * n + k];
    }
    real_line<true>(plan, x.data(), other.data());
    for (int64_t lane = 0; lane < used; ++lane) {
      T* const line = out + 2 * (begin + lane) * kept;
      line[0] = x[0][lane];
      line[1] = 0;
      for (int64_t k = 1; k < kept; ++k) {
        line[2 * k] = x[static_cast<size_t>(2 * k - 1)][lane];
        line[2 * k + 1] = 2 * k < n ? x[static_cast<size_t>(2 * k)][lane] : T(0);
      }
    }
  });
}

template <typename T>
void ShortFftArray<T>::run_backward(const T* in, T* out, T scale, Blocks blocks) const {
  using V = typename Lanes<T>::Vector;
  constexpr int64_t kLanes = Lanes<T>::kCount;
  const ShortFft<T>& plan = plans_.back();
  const int64_t n = plan.length, kept = n / 2 + 1, lines = rows();
  blocks(blocks_of<T>(lines), [&](int64_t block) {
    std::array<V, kLongestShortLine> x, other;
    const int64_t begin = block * kLanes, used = std::min(kLanes, lines - begin);
    std::fill_n(x.begin(), n, V{});
    for (int64_t lane = 0; lane < used; ++lane) {
      const T* const line = in + 2 * (begin + lane) * kept;
      x[0][lane] = line[0];  // what else a real line's first and middle element have is nothing
      for (int64_t k = 1; k < kept; ++k) {
        x[static_cast<size_t>(2 * k - 1)][lane] = line[2 * k];
        if (2 * k < n) x[static_cast<size_t>(2 * k)][lane] = line[2 * k + 1];
      }
    }
    real_line<false>(plan, x.data(), other.data());
    for (int64_t lane = 0; lane < used; ++lane) {
      for (int64_t k = 0; k < n; ++k) out[(begin + lane) * n + k] = x[static_cast<size_t>(k)][lane] * scale;
    }
  });
}

/// Complex transforms take the last dimension first, and scale there; those of real arrays the other way round.
template <typename T>
Status ShortFftArray<T>::run(const T* in, T* out, Blocks blocks) const {
  const auto scale = static_cast<T>(scale_);
  const size_t last = sizes_.size() - 1;
  if (type_ == FftType::kRfft) {
    run_forward(in, out, blocks);
    for (size_t d = first_; d < last; ++d) run_complex(d, out, out, 1, blocks);
  } else if (type_ == FftType::kIrfft) {
    AlignedBuffer memory;
    const T* from = in;
    if (first_ < last) {
      HILO_ASSIGN_OR_RETURN(memory, allocate_buffer(static_cast<size_t>(2 * rows() * sizes_[last]) * sizeof(T)));
      T* const between = reinterpret_cast<T*>(memory.data());
      for (size_t d = first_; d < last; ++d) run_complex(d, d == first_ ? in : between, between, 1, blocks);
      from = between;
    }
    run_backward(from, out, scale, blocks);
  } else {
    run_complex(last, in, out, scale, blocks);
    for (size_t d = last; d-- > first_;) run_complex(d, out, out, 1, blocks);
  }
  return ok_status();
}

template struct ShortFft<float>;
template struct ShortFft<double>;
template class ShortFftArray<float>;
template class ShortFftArray<double>;

}  // namespace hilo::hlo
