// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/annotations.h"

#include <gtest/gtest.h>

namespace hilo::hlo::proto {
namespace {

Annotations annotations_through(const Annotations& annotations) {
  WireWriter out;
  const Status status = write_annotations(annotations, out);
  EXPECT_TRUE(status.ok()) << status.to_string();
  return read_annotations(WireMessage::read(out.view(), "HloInstructionProto").value()).value();
}

TEST(AnnotationsProto, KeepsAll) {
  Annotations a;
  a.op_type = "dot";
  a.op_name = "jit(f)/dot";
  a.source_file = "/a/f.py";
  a.source_line = 7;
  a.other_metadata = "source_end_line=9 profile_type={1,2} deduplicated_name=\"x\"";
  a.sharding = "{devices=[2]<=[2]}";
  a.frontend_attributes = "{a=\"b\",c={d}}";
  a.backend_config = "{\"n\":1}";
  EXPECT_EQ(annotations_through(a), a);
  EXPECT_EQ(annotations_through({}), Annotations());
}

TEST(AnnotationsProto, LeavesOutMetadataWithoutAField) {
  Annotations a;
  a.other_metadata = "size_of_generated_code_in_bytes=3 creation_pass=\"x\" stack_frame_id=4";
  EXPECT_EQ(annotations_through(a).other_metadata, "stack_frame_id=4");
}

TEST(AnnotationsProto, LinesAndNamesAreThoseThatAMessageCanHave) {
  Annotations a;
  a.source_line = int64_t{1} << 40;
  a.op_name = "a\xff";
  EXPECT_EQ(annotations_through(a).source_line, INT32_MAX);
  EXPECT_EQ(annotations_through(a).op_name, "a?");
}

TEST(AnnotationsProto, SaysWhatIsNoMetadata) {
  Annotations a;
  a.other_metadata = "=3";
  WireWriter out;
  EXPECT_NE(write_annotations(a, out).message().find("metadata:1:1: expected a key in metadata"), std::string::npos);
}

TEST(FrontendAttributes, GoToPairsAndBack) {
  const auto through_pairs = [](std::string_view text) {
    return read_frontend_attributes(WireMessage::read(write_frontend_attributes(text).value().view(), "F").value())
        .value();
  };
  EXPECT_EQ(through_pairs(""), "");
  EXPECT_EQ(through_pairs("{a=\"b\\\"c\"}"), "{a=\"b\\\"c\"}");
  EXPECT_EQ(through_pairs("{k={x=1}}"), "{k={x=1}}");
  EXPECT_FALSE(write_frontend_attributes("{a").ok());
}

}  // namespace
}  // namespace hilo::hlo::proto
