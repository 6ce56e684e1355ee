// tests/profiling/capture/capture_scene_test.cpp: a capture as a scene: its launch, its buffers,
// and what it is compared with.
#include "profiling/capture/capture_scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <tuple>

#include "profiling/capture/machine_code_text.h"
#include "profiling/messages/protocol.h"
#include "profiling/text/base64.h"
#include "scenes/base/npy_array.h"
#include "tests/profiling/capture/made_capture.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using Side = CaptureWriter::Side;

constexpr const char* kPtx = ".version 8.0\n.target sm_90\n.address_size 64\n";

// The made capture, with memory that the launch changes and a variable that it does not.
std::string made_file(const CaptureFolder& folder, const Capture& capture, bool has_ptx = true,
                      bool has_code = true) {
  const std::string path = folder("a.wcap");
  Result<CaptureWriter> writer = CaptureWriter::create(path);
  if (capture.data) {
    for (std::size_t i = 0; i < capture.memory.size(); ++i) {
      const auto bytes = static_cast<std::size_t>(capture.memory[i].bytes);
      EXPECT_TRUE(writer->add_memory(i, Side::before, counted_words(1, bytes)));
      if (i == 0) {
        EXPECT_TRUE(writer->add_memory(i, Side::after, counted_words(2, bytes)));
      } else {
        writer->same_after(i);
      }
    }
  }
  EXPECT_TRUE(!has_code || writer->write_section("CODE", "machine code"));
  EXPECT_TRUE(!has_ptx || writer->write_section("PTX ", kPtx));
  EXPECT_TRUE(writer->finish(capture));
  return path;
}

KernelLaunch launch_of(const Scene& scene, std::int64_t shared_bytes = -1) {
  Configuration axes =
      for_variant(scene.axes, default_configuration(scene.axes), scene.variants.front().name);
  if (shared_bytes >= 0) axes.set("shared_bytes", shared_bytes);
  for (const Step& step : scene.variants.front().steps(Workload{axes, {}, {}})) {
    if (const auto* kernel = std::get_if<KernelLaunch>(&step.action)) return *kernel;
  }
  return {};
}

TEST(CaptureSceneTest, TheLaunchIsTheProgramsWithAddressesOfBuffers) {
  const CaptureFolder folder;
  const Result<SceneText> text = capture_scene(made_file(folder, made_capture()), "norm");
  ASSERT_TRUE(text) << sentence(text.error());
  const Result<Scene> scene = scene_of(*text);
  ASSERT_TRUE(scene) << sentence(scene.error()) << "\n" << text->description;
  ASSERT_EQ(scene->variants.size(), 1u);
  EXPECT_EQ(scene->variants[0].name, "as_captured");
  const KernelLaunch launch = launch_of(*scene);
  EXPECT_EQ(launch.source, "norm/capture.ptx");
  EXPECT_EQ(launch.entry, "_Z5scalePffi");
  EXPECT_EQ(launch.launch.grid, (Dim3{4, 1, 1}));
  EXPECT_EQ(launch.launch.block, (Dim3{128, 1, 1}));
  EXPECT_EQ(launch.launch.dynamic_shared_bytes, 512);
  ASSERT_EQ(launch.arguments.size(), 3u);
  const auto& pointer = std::get<BufferArgument>(launch.arguments[0]);
  EXPECT_EQ(pointer.buffer, "arg1");
  EXPECT_EQ(pointer.offset_bytes, 256);
  const auto& factor = std::get<RecordArgument>(launch.arguments[1]);
  ASSERT_EQ(factor.bytes.size(), 4u);
  EXPECT_EQ(std::memcmp(factor.bytes.data(), raw_bytes(2.0f).data(), 4), 0);
}

// Memory and arguments are the program's; only the room for other blocks can be varied.
TEST(CaptureSceneTest, ASliderGivesBlocksMoreSharedMemoryThanTheProgramDid) {
  const CaptureFolder folder;
  const Result<SceneText> text = capture_scene(made_file(folder, made_capture()), "norm");
  ASSERT_TRUE(text) << sentence(text.error());
  const Result<Scene> scene = scene_of(*text);
  ASSERT_TRUE(scene) << sentence(scene.error());
  const Axis* axis = find_axis(scene->axes, "shared_bytes");
  ASSERT_NE(axis, nullptr);
  EXPECT_EQ(axis->default_value, AxisValue(std::int64_t{512}));
  EXPECT_EQ(axis->minimum, 512);
  EXPECT_EQ(launch_of(*scene, 4096).launch.dynamic_shared_bytes, 4096);
  EXPECT_EQ(launch_of(*scene, 4096).launch.grid, launch_of(*scene).launch.grid);
}

// A structure of a number, an address and two numbers: 24 bytes, the address at byte 8.
TEST(CaptureSceneTest, AddressesInsideStructuresAreThoseOfBuffers) {
  const CaptureFolder folder;
  Capture c = made_capture();
  c.parameters[0].bytes = raw_bytes<std::uint64_t>(7) + raw_bytes<std::uint64_t>(0x7f0000000010) +
                          raw_bytes<std::uint64_t>(9);
  c.parameters[1].offset = 24;
  c.parameters[2].offset = 28;
  c.pointers = {{false, 0, 8, 0, 16}};
  c.launch.cluster = {2, 1, 1};
  c.launch.cooperative = true;
  const Result<SceneText> text = capture_scene(made_file(folder, c), "norm");
  ASSERT_TRUE(text) << sentence(text.error());
  const Result<Scene> scene = scene_of(*text);
  ASSERT_TRUE(scene) << sentence(scene.error()) << "\n" << text->description;
  const KernelLaunch launch = launch_of(*scene);
  EXPECT_EQ(launch.launch.cluster, (Dim3{2, 1, 1}));
  EXPECT_TRUE(launch.launch.cooperative);
  const auto& record = std::get<RecordArgument>(launch.arguments[0]);
  ASSERT_EQ(record.bytes.size(), 24u);
  EXPECT_EQ(std::to_integer<int>(record.bytes[0]), 7);
  EXPECT_EQ(std::to_integer<int>(record.bytes[16]), 9);
  ASSERT_EQ(record.addresses.size(), 1u);
  EXPECT_EQ(record.addresses[0].first, 8u);
  EXPECT_EQ(record.addresses[0].second.buffer, "arg1");
  EXPECT_EQ(record.addresses[0].second.offset_bytes, 16);
}

// A map of 40 × 24 floats, 512 bytes from the beginning of the memory.
CapturedTensorMap float_map() {
  CapturedTensorMap map;
  map.address = 0x7f0000000200;
  map.type = 7;
  map.l2_promotion = 2;
  map.extents = {40, 24};
  map.strides = {160};
  map.box = {32, 16};
  map.steps = {1, 1};
  return map;
}

// 8 bytes of the address and what only a device understands.
std::string map_bytes() { return raw_bytes<std::uint64_t>(0x7f0000000200) + std::string(120, 'm'); }

TEST(CaptureSceneTest, ATensorMapIsDescribedAndNotCopied) {
  const CaptureFolder folder;
  Capture c = made_capture();
  c.parameters = {{48, map_bytes()}};  // as on an H200
  c.pointers = {{false, 0, 0, 0, 512}};
  c.tensor_maps = {float_map()};
  const Result<SceneText> text = capture_scene(made_file(folder, c), "norm");
  ASSERT_TRUE(text) << sentence(text.error());
  const Result<Scene> scene = scene_of(*text);
  ASSERT_TRUE(scene) << sentence(scene.error()) << "\n" << text->description;
  const KernelLaunch launch = launch_of(*scene);
  const auto& map = std::get<TensorMapArgument>(launch.arguments.at(0));
  EXPECT_EQ(map.buffer, "arg1");
  EXPECT_EQ(map.offset_bytes, 512);
  EXPECT_EQ(map.type, ElementType::f32);
  EXPECT_EQ(map.extents, (std::vector<std::int64_t>{40, 24}));
  EXPECT_EQ(map.strides_bytes, (std::vector<std::int64_t>{160}));
  EXPECT_EQ(map.box, (std::vector<std::int64_t>{32, 16}));
  EXPECT_EQ(map.swizzle, TensorSwizzle::none);
  EXPECT_EQ(map.fetched_bytes, 128);
}

// Two maps of one structure, an address between them and a number after them: 384 bytes.
TEST(CaptureSceneTest, TensorMapsInsideStructuresLieWhereTheProgramHadThem) {
  const CaptureFolder folder;
  Capture c = made_capture();
  c.parameters = {{48, map_bytes() + raw_bytes<std::uint64_t>(0x7f0000000100) +
                           std::string(56, 'p') + map_bytes() + raw_bytes<std::uint64_t>(77) +
                           std::string(56, 'q')}};
  c.pointers = {{false, 0, 0, 0, 512}, {false, 0, 128, 0, 256}, {false, 0, 192, 0, 512}};
  c.tensor_maps = {float_map(), float_map()};
  c.tensor_maps[1].at = 192;
  c.tensor_maps[1].swizzle = 3;
  const Result<SceneText> text = capture_scene(made_file(folder, c), "norm");
  ASSERT_TRUE(text) << sentence(text.error());
  const Result<Scene> scene = scene_of(*text);
  ASSERT_TRUE(scene) << sentence(scene.error()) << "\n" << text->description;
  const KernelLaunch launch = launch_of(*scene);
  const auto& record = std::get<RecordArgument>(launch.arguments.at(0));
  ASSERT_EQ(record.bytes.size(), 384u);
  ASSERT_EQ(record.maps.size(), 2u);
  EXPECT_EQ(record.maps[0].first, 0u);
  EXPECT_EQ(record.maps[1].first, 192u);
  EXPECT_EQ(record.maps[1].second.swizzle, TensorSwizzle::bytes_128);
  ASSERT_EQ(record.addresses.size(), 1u);
  EXPECT_EQ(record.addresses[0].first, 128u);
  EXPECT_EQ(std::to_integer<int>(record.bytes[320]), 77);
  EXPECT_EQ(std::to_integer<char>(record.bytes[383]), 'q');
}

TEST(CaptureSceneTest, ATensorMapThatCannotBeDescribedIsReplayedWithAMovedAddress) {
  struct Other {
    std::function<void(CapturedTensorMap&)> change;
    const char* said;
  };
  const Other others[] = {{[](auto& m) { m.type = 11; }, "its elements are tf32"},
                          {[](auto& m) { m.type = -1; }, "its elements are of an unknown type"},
                          {[](auto& m) { m.interleave = 2; }, "its layout is interleaved"},
                          {[](auto& m) { m.fill = 1; }, "it fills with NaN"},
                          {[](auto& m) {
                             m.steps = {1, 2};
                           },
                           "it leaves elements out"},
                          {[](auto& m) { m.swizzle = 4; }, "its swizzle is another one"},
                          {[](auto& m) { m.box.clear(); }, "it copies columns of images (im2col)"},
                          {[](auto& m) { m.address = 0x7f2000000000; }, "its tensor was not saved"},
                          {[](auto& m) {
                             m.extents = {40, 24'000};
                           },
                           "the tensor reaches past the"},
                          {[](auto& m) {
                             m.extents = {~std::uint64_t{0}, 1};
                           },
                           "is not 1 to 2^32"}};
  for (const Other& other : others) {
    const CaptureFolder folder;
    Capture c = made_capture();
    c.parameters = {{0, map_bytes()}};
    c.pointers = {{false, 0, 0, 0, 512}};
    c.tensor_maps = {float_map()};
    other.change(c.tensor_maps[0]);
    const Result<SceneText> text = capture_scene(made_file(folder, c), "norm");
    ASSERT_TRUE(text) << sentence(text.error());
    EXPECT_THAT(text->description,
                HasSubstr("# a tensor map in argument 1 is replayed on a GPU, not emulated: "));
    EXPECT_THAT(text->description, HasSubstr(other.said));
    const Result<Scene> scene = scene_of(*text);
    ASSERT_TRUE(scene) << sentence(scene.error()) << "\n" << text->description;
    const KernelLaunch launch = launch_of(*scene);
    const auto& record = std::get<RecordArgument>(launch.arguments.at(0));
    ASSERT_EQ(record.addresses.size(), 1u) << other.said;
    EXPECT_EQ(record.addresses[0].second.offset_bytes, 512);
    EXPECT_EQ(std::to_integer<char>(record.bytes[127]), 'm');
  }
}

TEST(CaptureSceneTest, BuffersBeginAsTheMemoryBeforeAndAreComparedWithTheMemoryAfter) {
  const CaptureFolder folder;
  const Result<SceneText> text = capture_scene(made_file(folder, made_capture()), "norm");
  ASSERT_TRUE(text);
  const auto bytes_of = [&](const std::string& name) -> std::string {
    for (const SceneData& data : text->data) {
      if (data.path == name) return parse_npy_array(data.bytes.text(), name)->bytes;
    }
    return "";
  };
  EXPECT_EQ(bytes_of("arg1.npy"), counted_words(1, 10'000));
  EXPECT_EQ(bytes_of("arg1.after.npy"), counted_words(2, 10'000));
  EXPECT_EQ(bytes_of("variable2.npy"), counted_words(1, 64));
  EXPECT_THAT(text->description, HasSubstr("constants = { \"table\" = \"variable2\" }"));
  EXPECT_THAT(text->description, HasSubstr("bit_exact = true"));
}

// A launch may write what was there before: as whole numbers, 0.1 and its neighbour would be 1 of
// 1 036 831 949 apart, and a relative tolerance would mean nothing.
TEST(CaptureSceneTest, MemoryThatDidNotChangeIsComparedAsNumbersToo) {
  const CaptureFolder folder;
  Capture c = made_capture();
  c.memory.push_back({CapturedMemory::Kind::argument, 0x7f2000000000, 4096, ""});
  c.parameters.push_back({16, raw_bytes<std::uint64_t>(0x7f2000000000)});
  c.pointers.push_back({false, 3, 0, 2, 0});
  const Result<SceneText> text = capture_scene(made_file(folder, c), "norm", {"f32", 1e-4, 1e-5});
  ASSERT_TRUE(text) << sentence(text.error());
  const Result<Scene> scene = scene_of(*text);
  ASSERT_TRUE(scene) << sentence(scene.error()) << "\n" << text->description;
  std::size_t results = 0;
  for (const BufferSpec& spec : scene->buffers({default_configuration(scene->axes), {}})) {
    if (spec.role != BufferRole::state) continue;
    EXPECT_EQ(spec.type, ElementType::f32) << spec.name;
    ++results;
  }
  EXPECT_EQ(results, 2u);
  const Tolerance tolerance = scene->variants[0].tolerance;
  EXPECT_EQ(tolerance.reference, 1e-4);
  EXPECT_EQ(tolerance.absolute, 1e-5);
}

// source: torch.testing.assert_close, default tolerances.
TEST(CaptureSceneTest, NumbersHaveTheTolerancesOfPyTorchsTestsUnlessOthersAreGiven) {
  const CaptureFolder folder;
  const std::string file = made_file(folder, made_capture());
  for (const auto& [type, relative, absolute] : {std::tuple{"f16", 1e-3, 1e-5},
                                                 {"bf16", 1.6e-2, 1e-5},
                                                 {"f32", 1.3e-6, 1e-5},
                                                 {"f64", 1e-7, 1e-7}}) {
    const Result<SceneText> text = capture_scene(file, "norm", {type, 0, 0});
    ASSERT_TRUE(text) << sentence(text.error());
    const Result<Scene> scene = scene_of(*text);
    ASSERT_TRUE(scene) << sentence(scene.error());
    EXPECT_EQ(scene->variants[0].tolerance.reference, relative) << type;
    EXPECT_EQ(scene->variants[0].tolerance.absolute, absolute) << type;
  }
}

TEST(CaptureSceneTest, WithoutDataThereIsNoReference) {
  const CaptureFolder folder;
  Capture c = made_capture();
  c.data = false;
  const Result<SceneText> text = capture_scene(made_file(folder, c), "norm");
  ASSERT_TRUE(text) << sentence(text.error());
  const Result<Scene> scene = scene_of(*text);
  ASSERT_TRUE(scene) << sentence(scene.error());
  EXPECT_TRUE(scene->references.empty());
  EXPECT_TRUE(text->data.empty());
  EXPECT_THAT(scene->story, HasSubstr("without its data: inputs are random"));
}

TEST(CaptureSceneTest, TheMachineCodeThatRanGoesWithItsPtx) {
  const CaptureFolder folder;
  const Result<SceneText> text = capture_scene(made_file(folder, made_capture()), "norm");
  ASSERT_TRUE(text);
  const auto sources = sources_among(text->sources)("norm/capture.ptx");
  ASSERT_TRUE(sources) << sentence(sources.error());
  const KernelSource* code = machine_code_among(*sources);
  ASSERT_NE(code, nullptr);
  EXPECT_EQ(machine_code_of(code->text, "")->cubin, "machine code");
  EXPECT_EQ(machine_code_of(code->text, "")->compute_capability, 90);
  // PTX that a person changed is compiled: the code is not of that text any more.
  std::vector<KernelSource> changed = *sources;
  changed[0] = kernel_source(changed[0].path, changed[0].text + "\n");
  EXPECT_EQ(machine_code_among(changed), nullptr);
}

TEST(CaptureSceneTest, MachineCodeAloneIsTheSource) {
  const CaptureFolder folder;
  const Result<SceneText> text = capture_scene(made_file(folder, made_capture(), false), "norm");
  ASSERT_TRUE(text) << sentence(text.error());
  const Result<Scene> scene = scene_of(*text);
  ASSERT_TRUE(scene) << sentence(scene.error());
  EXPECT_EQ(launch_of(*scene).source, "norm/capture.cubin");
  const Result<SceneText> none =
      capture_scene(made_file(folder, made_capture(), false, false), "norm");
  ASSERT_FALSE(none);
  EXPECT_THAT(sentence(none.error()), HasSubstr("neither PTX nor machine code"));
}

TEST(CaptureSceneTest, MoreMemoryThanASceneTakesIsOneSentence) {
  const CaptureFolder folder;
  constexpr std::uint64_t kBytes = 200 << 20;
  const std::string path = folder("a.wcap");
  {
    Result<CaptureWriter> writer = CaptureWriter::create(path);
    const std::string piece(1 << 20, '\0');
    for (std::uint64_t at = 0; at < kBytes; at += piece.size())
      ASSERT_TRUE(writer->add_memory(0, Side::before, piece));
    writer->same_after(0);
    ASSERT_TRUE(writer->write_section("PTX ", kPtx));
    ASSERT_TRUE(writer->finish(made_capture(kBytes)));
  }
  const Result<SceneText> text = capture_scene(path, "norm");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().what,
            "the launch reached 200 MiB of memory, and a scene takes 128 MiB before and after it "
            "together");
}

// A scene with 3 MB of data goes to an engine as one packed frame, and comes back as it was.
TEST(CaptureSceneTest, LargeDataGoesPackedAndComesBack) {
  const CaptureFolder folder;
  Capture c = made_capture(3'000'000);
  const Result<SceneText> text = capture_scene(made_file(folder, c), "norm");
  ASSERT_TRUE(text);
  const std::string line = to_line(Message(*text));
  EXPECT_THAT(line, HasSubstr("\"packed_data\""));
  EXPECT_LT(line.size(), 6'000'000u);  // 6 MB of data would be 12 MB in hexadecimal
  const Result<Message> read = parse_line(line);
  ASSERT_TRUE(read) << sentence(read.error());
  EXPECT_TRUE(std::get<SceneText>(*read) == *text);
}

// source: RFC 4648, section 10.
TEST(Base64Test, TextsAreThoseOfTheStandard) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
      {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
  EXPECT_EQ(from_base64("Zm9v\nYmFy\n"), "foobar");
  for (const char* wrong : {"Zg", "Zg=", "Zg==Zg==x", "Z===", "Z?==", "=Zg="})
    EXPECT_EQ(from_base64(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace warpscope
