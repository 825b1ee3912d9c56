// SPDX-License-Identifier: Apache-2.0
// inspect/dumps/pass_page.h -- a page that shows the effect of each pass on a module, as differences of its HLO text.
#pragma once

#include <string>
#include <string_view>

namespace hilo {

class PassPage {
 public:
  /// `text` is the module before the first pass.
  PassPage(std::string_view module, std::string text);

  /// Adds a pass. `text` is the module after it, and `file` its dump.
  void add_change(std::string_view pass, double milliseconds, std::string text, std::string_view file);
  void add_no_change(std::string_view pass, double milliseconds);
  bool empty() const { return changes_ == 0; }

  /// Returns a self-contained page with a folded section per pass; the letters "http" don't occur.
  std::string html() const;

 private:
  std::string module_;
  std::string text_;      ///< after the last change
  std::string sections_;  ///< of the page
  int changes_ = 0;
  int passes_ = 0;
};

}  // namespace hilo
