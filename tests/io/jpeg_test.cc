// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/jpeg.h"

#include <gtest/gtest.h>

#include "hilo/base/files.h"
#include "hilo/io/npz.h"
#include "tests/paths.h"

namespace hilo::io {
namespace {

std::string data(const std::string& name) { return std::string(tests::kSourceDir) + "/tests/io/data/" + name; }

TEST(Jpeg, GivesThePixelsThatPillowGives) {
  const StatusOr<NamedLiterals> pixels = read_npz(data("pixels.npz"));
  ASSERT_TRUE(pixels.ok()) << pixels.status().to_string();
  for (const char* name : {"rgb", "grey"}) {
    const StatusOr<Literal> picture = read_jpeg(data(std::string(name) + ".jpg"));
    ASSERT_TRUE(picture.ok()) << picture.status().to_string();
    const Literal& wanted = pixels->at(std::string(name) + "_jpg");
    EXPECT_TRUE(picture->identical(wanted))
        << name << ": " << picture->to_string(20) << " and " << wanted.to_string(20);
  }
}

TEST(JpegError, NamesWhatIsWrong) {
  EXPECT_EQ(read_jpeg(data("cmyk.jpg")).status().to_string(),
            "INVALID_ARGUMENT: " + data("cmyk.jpg") + ": jpeg: CMYK images are not supported. Hint: convert it to RGB");
  EXPECT_EQ(read_jpeg(data("filters.png")).status().to_string(),
            "INVALID_ARGUMENT: " + data("filters.png") + ": a PNG picture; wanted a JPEG picture");
  EXPECT_EQ(read_jpeg(data("rgb.jpg"), 100).status().to_string(),
            "RESOURCE_EXHAUSTED: " + data("rgb.jpg") + ": 30 x 40 pixels of 3 channels; limit is 100 bytes");
}

TEST(JpegError, EveryPrefixIsAnError) {
  for (const char* name : {"rgb.jpg", "grey.jpg"}) {
    const std::string bytes = *read_file(data(name));
    for (size_t size = 0; size + 2 < bytes.size(); ++size) {  // the last two bytes are only the end marker
      EXPECT_FALSE(parse_jpeg(bytes.substr(0, size), "x").ok()) << name << " " << size;
    }
  }
}

}  // namespace
}  // namespace hilo::io
