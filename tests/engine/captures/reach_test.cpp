// tests/engine/captures/reach_test.cpp: which memory the arguments of a launch reach, with a driver
// that is made for it.
#include "profiling/capture/injected/reach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "profiling/binaries/cubin.h"
#include "profiling/capture/injected/driver.h"
#include "profiling/capture/injected/encoded_maps.h"
#include "profiling/capture/injected/loaded_code.h"
#include "profiling/capture/injected/taken_launch.h"
#include "tests/profiling/binaries/made_binaries.h"

namespace warpscope {
namespace {

// Two allocations: 4096 bytes at 0x7f0000000000 and 1 GiB at 0x7f1000000000.
CUresult range_of(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  for (const auto& [from, size] : {std::pair<std::uint64_t, std::size_t>{0x7f0000000000, 4096},
                                   {0x7f1000000000, std::size_t{1} << 30}}) {
    if (address < from || address - from >= size) continue;
    *base = from;
    *bytes = size;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
}

CaptureDriver driver() {
  CaptureDriver made;
  made.cuMemGetAddressRange = &range_of;
  made.cuPointerGetAttribute = [](void*, CUpointer_attribute, CUdeviceptr) {
    return CUDA_ERROR_INVALID_VALUE;
  };
  made.cuGetErrorString = [](CUresult, const char** text) {
    *text = "made error";
    return CUDA_SUCCESS;
  };
  // Parameters of 8, 4 and 16 bytes.
  made.cuFuncGetParamInfo = [](CUfunction, std::size_t index, std::size_t* offset,
                               std::size_t* size) {
    constexpr std::size_t kOffsets[] = {0, 8, 16}, kSizes[] = {8, 4, 16};
    if (index >= 3) return CUDA_ERROR_INVALID_VALUE;
    *offset = kOffsets[index];
    *size = kSizes[index];
    return CUDA_SUCCESS;
  };
  return made;
}

std::string words(const std::vector<std::uint64_t>& values) {
  std::string bytes(8 * values.size(), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(CaptureReachTest, PointersInArgumentsAndStructuresLeadToWholeAllocations) {
  const Result<Reach> reach =
      reach_of(driver(),
               {{0, words({0x7f0000000100})},
                {8, words({12})},
                {16, words({3, 0x7f0000000fff, 0x7f1000000000, 0x7f2000000000})}},
               std::uint64_t{2} << 30);
  ASSERT_TRUE(reach) << sentence(reach.error());
  ASSERT_EQ(reach->memory.size(), 2u);
  EXPECT_EQ(reach->memory[0].address, 0x7f0000000000u);
  EXPECT_EQ(reach->memory[0].bytes, 4096u);
  EXPECT_THAT(reach->pointers, testing::ElementsAre(CapturedPointer{false, 0, 0, 0, 0x100},
                                                    CapturedPointer{false, 2, 8, 0, 0xfff},
                                                    CapturedPointer{false, 2, 16, 1, 0}));
}

// A structure that begins at byte 4 of the argument block has its words from byte 8 on.
TEST(CaptureReachTest, WordsAreAlignedInTheArgumentBlock) {
  std::string bytes = std::string(4, 'x') + words({0x7f0000000010});
  const Result<Reach> reach = reach_of(driver(), {{4, bytes}}, 1 << 20);
  ASSERT_TRUE(reach);
  EXPECT_THAT(reach->pointers, testing::ElementsAre(CapturedPointer{false, 0, 4, 0, 0x10}));
}

TEST(CaptureReachTest, MoreThanTheBudgetIsOneSentence) {
  const Result<Reach> reach = reach_of(driver(), {{0, words({0x7f1000000000})}}, 1 << 20);
  ASSERT_FALSE(reach);
  EXPECT_EQ(sentence(reach.error()),
            "its arguments reach 1.1 GB of memory, more than the budget of 1.0 MB; raise --budget, "
            "or use --no-data");
}

// Two of these words lie in the memory that is known, and two in an allocation that is not.
TEST(CaptureReachTest, AddressesInMemoryAreFollowedAsFarAsThereIsRoom) {
  const CapturedMemory other{CapturedMemory::Kind::argument, 0x7f3000000000, 4096, ""};
  const std::string bytes = words({1, 0x7f3000000008, 0x7f3000001000, 0x7f3000000fff, 12,
                                   0x7f0000000010, 0x7f0000000018, ~std::uint64_t{0}});
  const CaptureDriver made = driver();
  StoredPointers pointers(made, 1 << 20);
  std::vector<CapturedMemory> memory = {other};
  pointers.follow(bytes, memory);
  EXPECT_THAT(memory, testing::ElementsAre(other, CapturedMemory{CapturedMemory::Kind::pointed,
                                                                 0x7f0000000000, 4096, ""}));
  EXPECT_THAT(pointers.notes(),
              testing::ElementsAre("4 words of its memory are taken for addresses of device "
                                   "memory, found by scanning; the replay moves them"));
  memory = {other};
  StoredPointers narrow(made, 1000);
  narrow.follow(bytes, memory);
  EXPECT_EQ(memory.size(), 1u);
  EXPECT_THAT(narrow.notes(),
              testing::ElementsAre(testing::HasSubstr("2 words of its memory are taken"),
                                   testing::HasSubstr("2 words of its memory point to 4.1 kB that "
                                                      "were not saved")));
}

TEST(CaptureParametersTest, ArgumentsAreReadFromAddressesOrFromTheBlock) {
  std::uint64_t pointer = 7;
  std::uint32_t number = 9;
  const std::string structure = words({11, 13});
  void* addresses[] = {&pointer, &number, const_cast<char*>(structure.data())};
  SeenLaunch launch;
  launch.parameters = addresses;
  const auto one = parameters_of(driver(), launch);
  ASSERT_TRUE(one);
  std::string block = words({7, 9, 11, 13});
  std::size_t bytes = block.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &bytes, CU_LAUNCH_PARAM_END};
  launch.parameters = nullptr;
  launch.extra = extra;
  const auto other = parameters_of(driver(), launch);
  ASSERT_TRUE(other);
  for (const auto& passed : {*one, *other}) {
    const std::vector<CapturedParameter>& all = passed.all;
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].bytes, words({7}));
    EXPECT_EQ(all[1].bytes, words({9}).substr(0, 4));
    EXPECT_EQ(all[2].bytes, structure);
    EXPECT_EQ(all[2].offset, 16u);
    EXPECT_THAT(passed.notes, testing::IsEmpty());
  }
}

// The third parameter lies in bytes 16 to 31, of which the block has eight.
TEST(CaptureParametersTest, BytesThatTheBlockLacksAreZerosAndAreNoted) {
  std::string block = words({7, 9, 11});
  std::size_t bytes = block.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_BUFFER_POINTER,
                   block.data(), CU_LAUNCH_PARAM_END};
  SeenLaunch launch;
  launch.extra = extra;
  auto passed = parameters_of(driver(), launch);
  ASSERT_TRUE(passed);
  EXPECT_EQ(passed->all.at(1).bytes, words({9}).substr(0, 4));
  EXPECT_EQ(passed->all.at(2).bytes, words({11, 0}));
  EXPECT_THAT(passed->notes,
              testing::ElementsAre("the launch passes 8 of the 16 bytes of argument 3; the others "
                                   "count as zeros"));
  bytes = 8;
  passed = parameters_of(driver(), launch);
  ASSERT_TRUE(passed);
  EXPECT_EQ(passed->all.at(0).bytes, words({7}));
  EXPECT_EQ(passed->all.at(2).bytes, words({0, 0}));
  EXPECT_EQ(passed->notes.size(), 2u);
  launch.extra = nullptr;
  EXPECT_EQ(parameters_of(driver(), launch).error().what,
            "the launch passes no value for argument 1");
}

// source: names of NCCL 2.18, 2.19 and 2.27.
TEST(CaptureParametersTest, KernelsOfNcclAreKnownByName) {
  for (const char* symbol :
       {"_Z39ncclDevKernel_AllReduce_Sum_f32_RING_LL24ncclDevKernelArgsStorageILm4096EE",
        "_Z38ncclKernel_AllReduce_RING_LL_Sum_floatP11ncclDevCommmP8ncclWork",
        "_Z44ncclSymDevKernel_AllReduce_RSxLD_AGxST_sum_f15ncclSymDevArgs"})
    EXPECT_TRUE(waits_for_other_gpus(symbol)) << symbol;
  for (const char* symbol : {"_Z3addPKfPfi", "_Z14ncclisnotmine0v", "Kernel_nccl"})
    EXPECT_FALSE(waits_for_other_gpus(symbol)) << symbol;
}

CapturedTensorMap made_map(std::uint64_t address) {
  const cuuint64_t extents[] = {40, 24}, strides[] = {160};
  const cuuint32_t box[] = {32, 16}, steps[] = {1, 1};
  return tiled_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, reinterpret_cast<void*>(address), extents,
                   strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                   CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

TEST(EncodedMapsTest, MapsAreFoundByTheirBytesAmongTheParameters) {
  CUtensorMap first{}, second{};
  first.opaque[0] = 0x7f0000000000;
  first.opaque[3] = 17;
  second = first;
  second.opaque[0] = 0x7f1000000000;
  EncodedMaps maps;
  maps.keep(&first, made_map(0x7f0000000000));
  maps.moved(&first, &second, 0x7f1000000000);
  const std::string one(reinterpret_cast<const char*>(&first), 128),
      two(reinterpret_cast<const char*>(&second), 128);
  std::string other = one;
  other[100] = 1;
  // A map alone; a structure with two from byte 64 on, and one that differs in a bit.
  const std::vector<CapturedTensorMap> found =
      maps.among({{48, one}, {176, std::string(64, 'x') + two + other}, {496, words({1})}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].parameter, 0u);
  EXPECT_EQ(found[0].at, 0u);
  EXPECT_EQ(found[0].extents, (std::vector<std::uint64_t>{40, 24}));
  EXPECT_EQ(found[0].box, (std::vector<std::uint32_t>{32, 16}));
  EXPECT_EQ(found[1].parameter, 1u);
  EXPECT_EQ(found[1].at, 64u);
  EXPECT_EQ(found[1].address, 0x7f1000000000u);
  EXPECT_EQ(found[1].strides, (std::vector<std::uint64_t>{160}));
}

// A map for each launch of a long program.
TEST(EncodedMapsTest, TheOldestOfVeryManyMapsAreForgotten) {
  EncodedMaps maps;
  CUtensorMap map{};
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    map.opaque[5] = i;
    maps.keep(&map, made_map(0x7f0000000000 + i));
  }
  const auto count = [&](std::uint64_t i) {
    map.opaque[5] = i;
    return maps.among({{0, std::string(reinterpret_cast<const char*>(&map), 128)}}).size();
  };
  EXPECT_EQ(count(19'999), 1u);
  EXPECT_EQ(count(10'000), 1u);
  EXPECT_EQ(count(0), 0u);
}

TEST(LoadedCodeTest, AnImageIsAsLongAsItsOwnHeadSays) {
  const std::string cubin = made_cubin().bytes();
  std::string longer = cubin + std::string(64, 'x');
  EXPECT_EQ(image_bytes(longer.data()), cubin);
  const std::string ptx = "//\n.version 8.0\n";
  EXPECT_EQ(image_bytes(ptx.c_str()), ptx);
  std::string fat = made_fat_binary({{2, cubin, 90}});
  const std::size_t size = fat.size();
  fat += std::string(64, 'x');
  EXPECT_EQ(image_bytes(fat.data()).size(), size);
  struct Wrapper {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* data = nullptr;
    const void* unused = nullptr;
  } wrapper;
  wrapper.data = fat.data();
  EXPECT_EQ(image_bytes(&wrapper).size(), size);
  EXPECT_EQ(image_bytes("nonsense"), "");
  EXPECT_EQ(image_bytes(nullptr), "");
}

TEST(LoadedCodeTest, MachineCodeIsFoundByTheKernelThatItHas) {
  LoadedCode code;
  const CaptureDriver made = driver();
  const std::string cubin = made_cubin().bytes();
  const std::vector<std::string> kernels = kernel_symbols(cubin);
  ASSERT_FALSE(kernels.empty());
  const auto bytes = [&](const std::string& symbol) {
    return code.cubin_of(made, nullptr, symbol).bytes;
  };
  EXPECT_EQ(bytes(kernels[0]), "");
  code.loaded(1, cubin, [](const std::string&) { return false; });
  EXPECT_EQ(bytes(kernels[0]), "");
  code.loaded(1, cubin, [](const std::string&) { return true; });
  EXPECT_EQ(bytes(kernels[0]), cubin);
  EXPECT_EQ(bytes("another"), "");
  code.unloaded(1);
  EXPECT_EQ(bytes(kernels[0]), "");
}

// The module of a function is its handle here.
TEST(LoadedCodeTest, OfTwoModulesWithAKernelOfOneNameItsOwnIsTaken) {
  CaptureDriver made = driver();
  made.cuFuncGetModule = [](CUmodule* module, CUfunction function) {
    *module = reinterpret_cast<CUmodule>(function);
    return CUDA_SUCCESS;
  };
  const auto number = [](std::uintptr_t n) { return reinterpret_cast<const void*>(n); };
  const auto function = [](std::uintptr_t n) { return reinterpret_cast<CUfunction>(n); };
  const std::string first = made_cubin().bytes(), second = first + std::string(8, 'x');
  const std::string symbol = kernel_symbols(first).at(0);
  LoadedCode code;
  const auto all = [](const std::string&) { return true; };
  code.loaded(7, first, all);
  code.given(number(100), "ptx", false, {7});
  code.loaded(8, second, all);
  code.given(number(200), "ptx", false, {8});
  code.given(number(300), "ptx", false);
  EXPECT_EQ(code.cubin_of(made, function(100), symbol).bytes, first);
  EXPECT_EQ(code.cubin_of(made, function(200), symbol).bytes, second);
  EXPECT_EQ(code.cubin_of(made, function(200), symbol).others, 0);
  // Where nobody knows, the last one is taken, and it is said that there is another.
  EXPECT_EQ(code.cubin_of(made, function(300), symbol).bytes, second);
  EXPECT_EQ(code.cubin_of(made, function(300), symbol).others, 1);
}

TEST(LoadedImage, MayHaveVariablesUnlessItsPtxDeclaresNone) {
  const std::string head = ".version 9.0\n.target sm_90\n.address_size 64\n";
  const std::string kernel =
      ".visible .entry k(.param .u64 p)\n{\n ld.global.f32 %f1, [%rd1];\n ret;\n}\n";
  EXPECT_FALSE(may_have_variables(head + kernel));
  EXPECT_TRUE(may_have_variables(head + ".visible .global .align 4 .f32 scale;\n" + kernel));
  EXPECT_TRUE(may_have_variables(head + ".const .align 4 .b8 table[64];\n" + kernel));
  EXPECT_TRUE(may_have_variables("\x50\xed\x55\xba" + head + kernel)) << "a fat binary";
}

}  // namespace
}  // namespace warpscope
