// SPDX-License-Identifier: Apache-2.0
// examples/support/page.h -- a page with charts and pictures, in one HTML file that needs nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "hilo/hilo.h"

namespace examples {

/// Points in order of drawing: joined by a line, or each a dot.
struct Series {
  std::string name;
  std::vector<double> x, y;
  bool dots = false;
};

inline std::vector<double> numbers(const hilo::Array& array) { return array.to_vector<double>(); }

class Page {
 public:
  explicit Page(const std::string& title)
      : html_("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title + "</title><style>" +
              kStyle + "</style></head><body>\n<h1>" + title + "</h1>\n") {}

  void text(const std::string& words) { html_ += "<p>" + escaped(words) + "</p>\n"; }
  void code(const std::string& words) { html_ += "<pre>" + escaped(words) + "</pre>\n"; }

  /// Axes with the range of all series, which must be finite; each series has a colour.
  void chart(const std::string& title, const std::vector<Series>& series) {
    const auto [left, right] = range_of(series, &Series::x);
    const auto [bottom, top] = range_of(series, &Series::y);
    html_ += "<figure><figcaption>" + escaped(title) +
             "</figcaption><svg width=\"480\" height=\"300\">"
             "<path d=\"M50 10V270H470\" fill=\"none\" stroke=\"#888\"/>";
    for (size_t i = 0; i < series.size(); ++i) {
      const std::string color = kColors[i % kColors.size()];
      std::string points;
      for (size_t k = 0; k < series[i].x.size(); ++k) {
        const double x = 50 + 420 * (series[i].x[k] - left) / (right - left);
        const double y = 270 - 260 * (series[i].y[k] - bottom) / (top - bottom);
        points += series[i].dots ? "<circle cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"2.5\"/>"
                                 : number(x) + "," + number(y) + " ";
      }
      html_ += series[i].dots ? "<g fill=\"" + color + "\" fill-opacity=\"0.7\">" + points + "</g>"
                              : "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"" + color + "\" points=\"" +
                                    points + "\"/>";
      html_ += label(465, 24 + 16 * static_cast<double>(i), "end", series[i].name, color);
    }
    html_ += label(46, 20, "end", number(top)) + label(46, 272, "end", number(bottom)) +
             label(50, 288, "start", number(left)) + label(470, 288, "end", number(right)) + "</svg></figure>\n";
  }

  /// A picture of numbers from `low` (black) to `high` (white).
  /// Shapes    f32[height, width], or f32[height, width, 3] in red, green, blue
  void picture(const std::string& title, const hilo::Array& values, double low = 0, double high = 1, int scale = 4) {
    const hilo::Array shades = hilo::numpy::clip((values - low) / (high - low), 0, 1) * 255 + 0.5f;
    const std::vector<uint8_t> pixels = shades.astype(hilo::ElementType::kU8).to_vector<uint8_t>();
    const int64_t height = values.shape(0), width = values.shape(1), channels = values.ndim() == 3 ? 3 : 1;
    html_ += "<figure><img style=\"image-rendering:pixelated\" width=\"" + std::to_string(width * scale) +
             "\" height=\"" + std::to_string(height * scale) + "\" alt=\"\" src=\"data:image/png;base64," +
             base64(hilo::or_throw(hilo::io::png_bytes(width, height, channels, pixels))) + "\"><figcaption>" +
             escaped(title) + "</figcaption></figure>\n";
  }

  /// The file is there whole or not at all.
  /// Errors    throws hilo::Error if it can't be written
  void write(const std::string& path) const {
    hilo::or_throw(hilo::write_file_atomic(path, html_ + "</body></html>\n"));
  }

 private:
  static constexpr const char* kStyle =
      "body{font-family:sans-serif;margin:2em;max-width:70em}figure{display:inline-block;margin:0 1em 1em "
      "0;font-size:13px}"
      "svg{font-size:11px}pre{background:#f4f4f4;padding:1em;white-space:pre-wrap}";
  static constexpr std::array<const char*, 6> kColors = {"#2060c0", "#c04020", "#208040",
                                                         "#8040a0", "#b08000", "#008080"};

  static std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
  }
  static std::string escaped(const std::string& words) {
    std::string out;
    for (char c : words) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    return out;
  }
  static std::string label(double x, double y, const std::string& anchor, const std::string& words,
                           const std::string& color = "#444") {
    return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\" fill=\"" + color +
           "\">" + escaped(words) + "</text>";
  }
  static std::pair<double, double> range_of(const std::vector<Series>& series, std::vector<double> Series::* member) {
    double low = INFINITY, high = -INFINITY;
    for (const Series& one : series) {
      for (double value : one.*member) low = std::min(low, value), high = std::max(high, value);
    }
    return high > low ? std::pair(low, high) : std::pair(low - 1, low + 1);
  }
  static std::string base64(const std::string& bytes) {
    constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (size_t i = 0; i < bytes.size(); i += 3) {
      uint32_t group = 0;
      for (size_t k = 0; k < 3; ++k) {
        group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
      }
      for (size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63];
    }
    return out;
  }

  std::string html_;
};

/// 0, 1, ... as the x axis of the values: a curve over steps.
inline Series curve(const std::string& name, const std::vector<double>& values) {
  std::vector<double> steps;
  for (size_t i = 0; i < values.size(); ++i) steps.push_back(static_cast<double>(i));
  return {name, steps, values};
}

/// Writes the page if the program received a path, prints the result, and returns the exit code.
inline int finish(const Page& page, int argc, char** argv, const std::string& result, bool right) {
  if (argc > 1) page.write(argv[1]);
  std::printf("%s: %s\n", result.c_str(), right ? "right" : "wrong");
  return right ? 0 : 1;
}

}  // namespace examples
