// SPDX-License-Identifier: Apache-2.0
// examples/support/report.h -- the digits program's report: one HTML page that needs nothing else.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "hilo/hilo.h"

namespace examples {

/// One number an epoch.
struct History {
  std::vector<double> loss, accuracy;
};

namespace report_detail {

constexpr int kClasses = 10, kSide = 8;                      // an image has kSide x kSide pixels
constexpr double kWidth = 460, kHeight = 220, kMargin = 44;  // of a curve, in CSS pixels

inline std::string number(double value, const char* format = "%.4g") {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

inline std::string label(double x, double y, const std::string& anchor, const std::string& text) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\">" + text + "</text>";
}

/// A line over epochs 1..n with the range of its values at the left; data-values has the numbers for scripts.
inline std::string curve(const std::string& title, const std::vector<double>& values, const std::string& color) {
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite), [](double v) { return std::isfinite(v); });
  std::string out = "<figure><figcaption>" + title + "</figcaption><svg width=\"460\" height=\"220\" data-values=\"";
  for (double v : values) out += number(v, "%.9g ");
  out += "\">";
  if (finite.empty()) return out + label(kWidth / 2, kHeight / 2, "middle", "no finite values") + "</svg></figure>\n";
  const auto [low, high] = std::minmax_element(finite.begin(), finite.end());
  const double range = *high > *low ? *high - *low : 1;
  const double steps = values.size() > 1 ? static_cast<double>(values.size() - 1) : 1;
  out +=
      "<path d=\"M44 10V176H450\" fill=\"none\" stroke=\"#888\"/><polyline fill=\"none\" stroke-width=\"2\" stroke=\"" +
      color + "\" points=\"";
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    const double x = kMargin + (kWidth - kMargin - 10) * static_cast<double>(i) / steps;
    const double y = 176 - 160 * (values[i] - *low) / range;
    out += number(x, "%.1f") + "," + number(y, "%.1f") + " ";
  }
  return out + "\"/>" + label(kMargin - 4, 20, "end", number(*high, "%.3g")) +
         label(kMargin - 4, 176, "end", number(*low, "%.3g")) + label(kMargin, 194, "start", "epoch 1") +
         label(kWidth - 10, 194, "end", std::to_string(values.size())) + "</svg></figure>\n";
}

/// Rows are the true digits, columns the predictions.
inline std::string confusion_matrix(const std::vector<int>& predicted, const std::vector<int>& truth) {
  std::vector<int> counts(kClasses * kClasses);
  for (size_t i = 0; i < truth.size(); ++i) ++counts[static_cast<size_t>(truth[i] * kClasses + predicted[i])];
  std::string out = "<table><tr><th>is \\ said</th>";
  for (int c = 0; c < kClasses; ++c) out += "<th>" + std::to_string(c) + "</th>";
  for (int r = 0; r < kClasses; ++r) {
    out += "</tr>\n<tr><th>" + std::to_string(r) + "</th>";
    for (int c = 0; c < kClasses; ++c) {
      const int count = counts[static_cast<size_t>(r * kClasses + c)];
      const char* kind = count == 0 ? "" : r == c ? " class=\"right\"" : " class=\"wrong\"";
      out += "<td" + std::string(kind) + ">" + (count == 0 ? "" : std::to_string(count)) + "</td>";
    }
  }
  return out + "</tr></table>\n";
}

/// An image of 64 values in [0, 1], as dark squares.
inline std::string digit(const float* pixels, int predicted, int truth) {
  std::string out = "<figure><svg width=\"80\" height=\"80\" viewBox=\"0 0 8 8\" class=\"digit\">";
  for (int i = 0; i < kSide * kSide; ++i) {
    const int shade = 255 - static_cast<int>(std::lround(255 * std::clamp(pixels[i], 0.0f, 1.0f)));
    if (shade == 255) continue;
    const std::string grey = std::to_string(shade);
    out += "<rect x=\"" + std::to_string(i % kSide) + "\" y=\"" + std::to_string(i / kSide) +
           "\" width=\"1\" height=\"1\" fill=\"rgb(" + grey + "," + grey + "," + grey + ")\"/>";
  }
  return out + "</svg><figcaption>is " + std::to_string(truth) + ", said " + std::to_string(predicted) +
         "</figcaption></figure>\n";
}

inline std::string wrong_digits(const std::vector<int>& predicted, const std::vector<int>& truth,
                                const std::vector<float>& pixels) {
  std::string out;
  for (size_t i = 0; i < truth.size(); ++i) {
    if (predicted[i] != truth[i]) out += digit(&pixels[i * kSide * kSide], predicted[i], truth[i]);
  }
  return out.empty() ? "<p>None.</p>\n" : "<div>" + out + "</div>\n";
}

constexpr const char* kHead =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>hilo: digits</title><style>"
    "body{font-family:sans-serif;margin:2em}figure{display:inline-block;margin:0 1em 1em 0;font-size:13px}"
    "svg{font-size:11px}table{border-collapse:collapse}td,th{border:1px solid #ccc;width:2.4em;height:1.8em;"
    "text-align:center;font-size:13px}.right{background:#d8f0d8}.wrong{background:#f6d0d0}.digit{border:1px solid #ccc}"
    "summary{cursor:pointer;font-family:monospace;padding:.3em 0}"
    ".scroll{overflow:auto;max-height:85vh;border:1px solid #ccc}</style></head>\n<body>";

}  // namespace report_detail

/// Writes the report: curves, confusion matrix, the wrong digits, and `graphs` (Jitted::graph_html of the step). Pixels
/// are 64 an image. The file is there whole or not at all.
/// Errors    throws hilo::Error if the file can't be written
inline void write_report(const std::string& path, const History& history, const std::vector<int>& predicted,
                         const std::vector<int>& truth, const std::vector<float>& pixels, const std::string& graphs) {
  using namespace report_detail;
  size_t right = 0;
  for (size_t i = 0; i < truth.size(); ++i) right += predicted[i] == truth[i] ? 1 : 0;
  std::string page = kHead;
  page += "<h1>Handwritten digits</h1>\n<p>" + std::to_string(right) + " of " + std::to_string(truth.size()) +
          " held-out images are named right.</p>\n";
  page += curve("training loss", history.loss, "#c04020") + curve("test accuracy", history.accuracy, "#2060c0");
  page += "<h2>Confusion matrix</h2>\n" + confusion_matrix(predicted, truth);
  page += "<h2>The wrong ones</h2>\n" + wrong_digits(predicted, truth, pixels);
  page += "<h1>The training step</h1>\n" + graphs + "</body></html>\n";
  hilo::or_throw(hilo::write_file_atomic(path, page));
}

}  // namespace examples
