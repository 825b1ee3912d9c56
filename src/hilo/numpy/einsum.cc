// SPDX-License-Identifier: Apache-2.0
// numpy/einsum.cc -- einsum: parses subscripts, chooses the order of contractions, one dot_general for each step.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "hilo/lax/dot.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

/// Letters are numbers here. Those of an ellipsis are negative; its last axis is -1.
using Letters = std::vector<int>;

struct Term {
  Letters letters;
  Array value = Array(0);
};
struct Equation {
  std::vector<Term> terms;
  Letters result;
  std::map<int, int64_t> extents;
};

[[noreturn]] void refuse(std::string_view subscripts, const std::string& why) {
  throw Error(invalid_argument(at_user_line("einsum") + ": \"" + std::string(subscripts) + "\": " + why));
}

bool has(const Letters& letters, int letter) { return std::ranges::find(letters, letter) != letters.end(); }

/// Returns the letters of one operand's subscripts; `rank` determines the number of axes of an ellipsis.
Letters letters_of(std::string_view whole, std::string_view part, std::optional<int64_t> rank, int64_t ellipsis_rank) {
  const size_t dots = part.find("...");
  Letters letters;
  const auto add = [&](std::string_view text) {
    for (const char c : text) {
      if (std::isalpha(static_cast<unsigned char>(c)) == 0) refuse(whole, fmt::format("'{}' is no letter", c));
      letters.push_back(c);
    }
  };
  if (dots == std::string_view::npos) {
    add(part);
  } else {
    add(part.substr(0, dots));
    const int64_t named = std::ssize(part) - 3;
    const int64_t count = rank ? *rank - named : ellipsis_rank;
    if (count < 0) refuse(whole, "an operand has fewer axes than letters");
    for (int64_t i = count; i > 0; --i) letters.push_back(static_cast<int>(-i));
    add(part.substr(dots + 3));
  }
  if (rank && std::ssize(letters) != *rank)
    refuse(whole,
           "an operand of " + std::to_string(*rank) + " axes has " + std::to_string(letters.size()) + " letters");
  return letters;
}

/// The result's subscripts without "->": the letters that appear once, in alphabetical order, after the ellipsis.
Letters implied_result(const std::vector<Term>& terms) {
  std::map<int, int> times;
  for (const Term& t : terms)
    for (const int letter : t.letters) ++times[letter];
  Letters out;
  for (const auto& [letter, count] : times)
    if (letter < 0 || count == 1) out.push_back(letter);
  return out;
}

void note_extents(std::string_view subscripts, Equation& e) {
  for (const Term& t : e.terms) {
    for (size_t d = 0; d < t.letters.size(); ++d) {
      const int64_t extent = t.value.shape()[d];
      int64_t& known = e.extents.try_emplace(t.letters[d], extent).first->second;
      if (known == 1) known = extent;
      else if (extent != known && extent != 1)
        refuse(subscripts, std::string("sizes ") + std::to_string(known) + " and " + std::to_string(extent) +
                               " of one letter don't fit");
    }
  }
}

Equation parse(std::string_view subscripts, const std::vector<Array>& operands) {
  std::string text;
  for (const char c : subscripts)
    if (c != ' ') text += c;
  const size_t arrow = text.find("->");
  const std::string_view all_terms = std::string_view(text).substr(0, arrow);
  Equation e;
  int64_t ellipsis_rank = 0;
  size_t begin = 0;
  for (size_t i = 0;; ++i) {
    const size_t end = all_terms.find(',', begin);
    if (i >= operands.size()) refuse(subscripts, "more terms than operands");
    const std::string_view part = all_terms.substr(begin, end == std::string_view::npos ? end : end - begin);
    e.terms.push_back({letters_of(subscripts, part, operands[i].ndim(), 0), operands[i]});
    ellipsis_rank = std::max(ellipsis_rank, std::ranges::count_if(e.terms.back().letters, [](int l) { return l < 0; }));
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  if (e.terms.size() != operands.size()) refuse(subscripts, "fewer terms than operands");
  if (arrow == std::string::npos) e.result = implied_result(e.terms);
  else e.result = letters_of(subscripts, std::string_view(text).substr(arrow + 2), std::nullopt, ellipsis_rank);
  note_extents(subscripts, e);
  for (const int letter : e.result) {
    if (!e.extents.contains(letter))
      refuse(subscripts, fmt::format("the result's '{}' appears in no operand", static_cast<char>(letter)));
    if (std::ranges::count(e.result, letter) > 1) refuse(subscripts, "the result repeats a letter");
  }
  return e;
}

// ---- the order ------------------------------------------------------------------------------------------------------

double volume(const std::set<int>& letters, const std::map<int, int64_t>& extents) {
  double v = 1;
  for (const int l : letters) v *= static_cast<double>(extents.at(l));
  return v;
}

/// Returns the letters of two contracted terms that other terms or the result still use.
std::set<int> left_of(const std::set<int>& both, const std::vector<std::set<int>>& others, const Letters& result) {
  std::set<int> remaining;
  for (const int l : both) {
    const bool needed = has(result, l) || std::ranges::any_of(others, [&](const auto& o) { return o.contains(l); });
    if (needed) remaining.insert(l);
  }
  return remaining;
}

struct Search {
  const Equation& equation;
  double best_cost = std::numeric_limits<double>::infinity();
  ContractionPath best = {};

  /// Searches all orders; prunes those that cost more than the best one so far.
  void all(const std::vector<std::set<int>>& terms, double cost, ContractionPath& path) {
    if (cost >= best_cost) return;
    if (terms.size() == 1) {
      best_cost = cost;
      best = path;
      return;
    }
    for (size_t i = 0; i < terms.size(); ++i) {
      for (size_t j = i + 1; j < terms.size(); ++j) {
        double step = 0;
        const std::vector<std::set<int>> rest = contracted(terms, i, j, step);
        path.push_back({static_cast<int64_t>(i), static_cast<int64_t>(j)});
        all(rest, cost + step, path);
        path.pop_back();
      }
    }
  }

  /// Contracts the cheapest pair, repeatedly.
  void greedy(std::vector<std::set<int>> terms) {
    best.clear();
    while (terms.size() > 1) {
      double least = std::numeric_limits<double>::infinity();
      size_t at_i = 0, at_j = 1;
      for (size_t i = 0; i < terms.size(); ++i) {
        for (size_t j = i + 1; j < terms.size(); ++j) {
          double step = 0;
          const double grown = volume(contracted(terms, i, j, step).back(), equation.extents) -
                               volume(terms[i], equation.extents) - volume(terms[j], equation.extents);
          if (grown < least) {
            least = grown;
            at_i = i;
            at_j = j;
          }
        }
      }
      double step = 0;
      terms = contracted(terms, at_i, at_j, step);
      best.push_back({static_cast<int64_t>(at_i), static_cast<int64_t>(at_j)});
    }
  }

  std::vector<std::set<int>> contracted(const std::vector<std::set<int>>& terms, size_t i, size_t j,
                                        double& cost) const {
    std::vector<std::set<int>> rest;
    for (size_t k = 0; k < terms.size(); ++k)
      if (k != i && k != j) rest.push_back(terms[k]);
    std::set<int> both = terms[i];
    both.insert(terms[j].begin(), terms[j].end());
    cost = volume(both, equation.extents);
    rest.push_back(left_of(both, rest, equation.result));
    return rest;
  }
};

ContractionPath path_of(const Equation& e, const EinsumOptions& options) {
  if (options.optimize.how().empty()) return options.optimize.path();
  std::vector<std::set<int>> terms;
  for (const Term& t : e.terms) terms.emplace_back(t.letters.begin(), t.letters.end());
  if (terms.size() <= 1) return terms.empty() ? ContractionPath{} : ContractionPath{{0}};
  const std::string_view how = options.optimize.how();
  ContractionPath in_order;
  for (size_t i = terms.size(); i > 1; --i)
    in_order.push_back(i == terms.size() ? std::vector<int64_t>{0, 1}
                                         : std::vector<int64_t>{0, static_cast<int64_t>(i) - 1});
  if (how == "false" || terms.size() == 2) return in_order;
  Search search{e};
  ContractionPath path;
  if (how == "greedy" || (how == "auto" && terms.size() > 6)) search.greedy(terms);
  else if (how == "auto" || how == "optimal") search.all(terms, 0, path);
  else refuse("", "optimize is auto, optimal, greedy or false; got \"" + std::string(how) + "\"");
  return search.best;
}

// ---- the steps ------------------------------------------------------------------------------------------------------

/// Reduces a letter that appears twice in a term to its diagonal.
Term without_repeats(Term t) {
  for (size_t i = 0; i < t.letters.size(); ++i) {
    for (size_t j = t.letters.size(); --j > i;) {
      if (t.letters[i] != t.letters[j]) continue;
      const int letter = t.letters[i];
      t.value = diagonal(t.value, 0, static_cast<int64_t>(i), static_cast<int64_t>(j));
      t.letters.erase(t.letters.begin() + j);
      t.letters.erase(t.letters.begin() + i);
      t.letters.push_back(letter);
      return without_repeats(std::move(t));
    }
  }
  return t;
}

/// Sums over letters that are not used elsewhere, and over axes of extent 1 that are wider in other operands.
Term summed(Term t, const std::set<int>& needed, const std::map<int, int64_t>& extents) {
  std::vector<int64_t> axes;
  Letters remaining;
  for (size_t d = 0; d < t.letters.size(); ++d) {
    const bool stretched = t.value.shape()[d] == 1 && extents.at(t.letters[d]) != 1;
    if (!needed.contains(t.letters[d]) || stretched) {
      // A summed letter of extent 1 counts once for each element of the wider axes.
      axes.push_back(d);
    } else {
      remaining.push_back(t.letters[d]);
    }
  }
  if (!axes.empty()) t.value = sum(t.value, {.axis = axes, .promote_integers = false});
  t.letters = remaining;
  return t;
}

Term multiplied(const Term& a, const Term& b, const std::set<int>& needed, const EinsumOptions& options) {
  lax::DotDimensionNumbers d;
  Letters batch, left, right;
  for (size_t i = 0; i < a.letters.size(); ++i) {
    const auto other = std::ranges::find(b.letters, a.letters[i]);
    if (other == b.letters.end()) {
      left.push_back(a.letters[i]);
      continue;
    }
    const int64_t j = other - b.letters.begin();
    const bool keep = needed.contains(a.letters[i]);
    lax::DotDimensionNumbers::Pair& pair = keep ? d.batch : d.contracting;
    pair.lhs.push_back(i);
    pair.rhs.push_back(j);
    if (keep) batch.push_back(a.letters[i]);
  }
  for (const int l : b.letters)
    if (!has(a.letters, l)) right.push_back(l);
  Term out;
  out.value = lax::dot_general(
      a.value, b.value, d, {.precision = options.precision, .preferred_element_type = options.preferred_element_type});
  out.letters = batch;
  out.letters.insert(out.letters.end(), left.begin(), left.end());
  out.letters.insert(out.letters.end(), right.begin(), right.end());
  return out;
}

std::set<int> needed_by(const std::vector<Term>& others, const Letters& result) {
  std::set<int> needed(result.begin(), result.end());
  for (const Term& t : others) needed.insert(t.letters.begin(), t.letters.end());
  return needed;
}

/// Permutes the axes to the result's order, and broadcasts letters along which no operand is wide.
Array finished(const Term& t, const Equation& e) {
  std::vector<int64_t> order;
  Shape thin, whole;
  for (const int l : e.result) {
    const auto at_letter = std::ranges::find(t.letters, l);
    whole.push_back(e.extents.at(l));
    thin.push_back(at_letter == t.letters.end() ? 1 : whole.back());
    if (at_letter != t.letters.end()) order.push_back(at_letter - t.letters.begin());
  }
  return broadcast_to(reshape(ops::transpose(t.value, order), thin), whole);
}

Term take_term(std::vector<Term>& terms, int64_t i) {
  Term t = std::move(terms[i]);
  terms.erase(terms.begin() + i);
  return t;
}

}  // namespace

Array einsum(std::string_view subscripts, const std::vector<Array>& operands, const EinsumOptions& options, Line line) {
  const UserLocation here(line);
  if (operands.empty()) refuse(subscripts, "wanted at least one operand");
  Aval type = operands[0].aval();
  for (const Array& a : operands) type = promote_types(type, a.aval());
  std::vector<Array> same;
  const ElementType common = type.shape.element_type(), computed = type.weak_type ? default_of_kind(common) : common;
  for (const Array& a : operands) same.push_back(ops::convert_element_type(a, computed));
  const Equation e = parse(subscripts, same);
  std::vector<Term> terms;
  for (const Term& t : e.terms) terms.push_back(without_repeats(t));
  for (const std::vector<int64_t>& step : path_of(e, options)) {
    std::vector<int64_t> picked = step;
    std::ranges::sort(picked, std::greater<>());
    std::vector<Term> together;
    for (const int64_t i : picked) {
      if (i < 0 || i >= std::ssize(terms)) refuse(subscripts, "the path names an operand that does not exist");
      together.insert(together.begin(), take_term(terms, i));
    }
    Term product = together[0];
    for (size_t k = 1; k < together.size(); ++k) {
      std::vector<Term> others = terms;
      others.insert(others.end(), together.begin() + static_cast<int64_t>(k) + 1, together.end());
      const std::set<int> needed = needed_by(others, e.result);
      std::set<int> of_left = needed, of_right = needed;
      of_left.insert(together[k].letters.begin(), together[k].letters.end());
      of_right.insert(product.letters.begin(), product.letters.end());
      product =
          multiplied(summed(product, of_left, e.extents), summed(together[k], of_right, e.extents), needed, options);
    }
    terms.push_back(product);
  }
  if (terms.size() != 1) refuse(subscripts, "the path leaves more than one operand");
  const Term last = summed(terms[0], needed_by({}, e.result), e.extents);
  const Array out = finished(last, e);
  return with_weak_type(
      options.preferred_element_type ? ops::convert_element_type(out, *options.preferred_element_type) : out,
      type.weak_type && !options.preferred_element_type);
}

EinsumPath einsum_path(std::string_view subscripts, const std::vector<Array>& operands, const EinsumOptions& options,
                       Line line) {
  const UserLocation here(line);
  if (operands.empty()) refuse(subscripts, "wanted at least one operand");
  const ContractionPath path = path_of(parse(subscripts, operands), options);
  std::string text = "einsum \"" + std::string(subscripts) + "\":";
  for (const std::vector<int64_t>& step : path) text += " " + dimensions_to_string(step);
  return {path, text};
}

Optimize::Optimize(ContractionPath path) : path_(std::move(path)) {}
Optimize::Optimize(std::initializer_list<std::vector<int64_t>> path) : path_(path) {}

Array einsum(std::string_view subscripts, const Operand& a, const EinsumOptions& options) {
  return einsum(subscripts, {a.array()}, options, a.location());
}
Array einsum(std::string_view subscripts, const Operand& a, const Operand& b, const EinsumOptions& options) {
  return einsum(subscripts, {a.array(), b.array()}, options, a.location());
}
Array einsum(std::string_view subscripts, const Operand& a, const Operand& b, const Operand& c,
             const EinsumOptions& options) {
  return einsum(subscripts, {a.array(), b.array(), c.array()}, options, a.location());
}

EinsumPath einsum_path(std::string_view subscripts, const Operand& a, const Operand& b, const EinsumOptions& options) {
  return einsum_path(subscripts, std::vector<Array>{a.array(), b.array()}, options, a.location());
}
EinsumPath einsum_path(std::string_view subscripts, const Operand& a, const Operand& b, const Operand& c,
                       const EinsumOptions& options) {
  return einsum_path(subscripts, std::vector<Array>{a.array(), b.array(), c.array()}, options, a.location());
}

}  // namespace hilo::numpy
