// tests/engine/listing_test.cpp: kernels as PTX and as machine code, by the toolkit that is here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/compile/disassembly.h"
#include "profiling/engine/run/emulation.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

KernelLaunch float4_columns() {
  KernelLaunch kernel;
  kernel.source = "csrmm/float4_columns.cu";
  kernel.entry = "float4_columns";
  const Scene& scene = *built_in_catalogue().find("csrmm").value();
  const Variant* variant = find_variant(scene, "float4_columns");
  Emulation emulation;
  Job job;
  job.work = ListingJob{};
  job.scene = "csrmm";
  job.variant = variant->name;
  job.sources = *sources_of_scene("csrmm");
  JobChannel channel;
  channel.send = [&](Message message) {
    if (const auto* listing = std::get_if<Listing>(&message)) kernel.defines = listing->defines;
  };
  channel.host_work = [](double) {};
  EXPECT_TRUE(emulation.run(job, channel));
  return kernel;
}

class Listings : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto version = nvrtc_version(); !version) GTEST_SKIP() << sentence(version.error());
  }
};

TEST_F(Listings, FindTheLinesOfTheText) {
  const Result<Listing> listing = listing_of_kernel(float4_columns(), 0, sources_on_disk());
  ASSERT_TRUE(listing) << sentence(listing.error());
  EXPECT_EQ(listing->no_ptx, "");
  EXPECT_EQ(listing->compute_capability, 0);
  EXPECT_EQ(listing->text_hash, text_hash_of(*sources_on_disk()("csrmm/float4_columns.cu")));
  const std::vector<ListedRow> rows = ptx_rows(listing->ptx, listing->entry, listing->files);
  std::size_t instructions = 0, placed = 0;
  for (const ListedRow& row : rows) {
    instructions += row.instruction ? 1 : 0;
    placed += line_in(row, listing->source) > 0 ? 1 : 0;
  }
  EXPECT_GT(instructions, 40U);
  EXPECT_GT(placed * 10, instructions * 7) << "most instructions come from a line of the kernel";
}

TEST_F(Listings, OfMachineCodeFindTheSameLines) {
  const Result<Listing> listing = listing_of_kernel(float4_columns(), 90, sources_on_disk());
  ASSERT_TRUE(listing);
  EXPECT_EQ(listing->compute_capability, 90);
  if (!find_disassembler()) {
    EXPECT_THAT(listing->no_machine_code, HasSubstr("nvdisasm"));
    EXPECT_THAT(listing->no_machine_code, HasSubstr("install"));
    GTEST_SKIP() << listing->no_machine_code;
  }
  ASSERT_EQ(listing->no_machine_code, "");
  const std::vector<ListedRow> rows =
      machine_rows(listing->machine_code, listing->entry, listing->files);
  const auto has = [&](const char* opcode, int& line) {
    for (const ListedRow& row : rows) {
      if (!row.instruction || row.text.find(opcode) == std::string::npos) continue;
      line = line_in(row, listing->source);
      return true;
    }
    return false;
  };
  int wide = 0, end = 0;
  EXPECT_TRUE(has("LDG.E.128", wide));
  EXPECT_TRUE(has("EXIT", end));
  EXPECT_GT(wide, 0);
  // PTX has its wide load at the same line.
  bool same = false;
  for (const ListedRow& row : ptx_rows(listing->ptx, listing->entry, listing->files)) {
    same = same || (row.text.find("ld.global.nc.v4.f32") != std::string::npos &&
                    line_in(row, listing->source) == wide);
  }
  EXPECT_TRUE(same) << "line " << wide;
}

TEST_F(Listings, SayWhatDoesNotCompile) {
  const SourceLookup broken = [](const std::string& path) -> Result<std::vector<KernelSource>> {
    return std::vector<KernelSource>{kernel_source(path, "int f( {")};
  };
  KernelLaunch kernel;
  kernel.source = "x.cu";
  kernel.entry = "f";
  const Result<Listing> listing = listing_of_kernel(kernel, 90, broken);
  ASSERT_TRUE(listing);
  EXPECT_THAT(listing->no_ptx, HasSubstr("does not compile"));
  EXPECT_THAT(listing->no_machine_code, HasSubstr("does not compile"));
}

// Not even while the disassembler runs, when the engine may be killed. In its place, a script says
// how many files the temporary folder has, and how the file
// begins that it is to read.
TEST_F(Listings, LeaveNoFileInTheTemporaryFolder) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / ("listing_" + std::to_string(::getpid()));
  fs::create_directories(folder / "temporary");
  std::ofstream(folder / "nvdisasm")
      << "#!/bin/sh\nfor file; do :; done\necho $(/bin/ls -A \"$TMPDIR\" | /usr/bin/wc -l) files, "
         "$(/usr/bin/tail -c +2 \"$file\" | /usr/bin/head -c 3)\nexit 1\n";
  fs::permissions(folder / "nvdisasm", fs::perms::owner_all);
  std::map<std::string, std::optional<std::string>> before;
  for (const auto& [name, value] : {std::pair("PATH", folder), {"TMPDIR", folder / "temporary"}}) {
    const char* old = std::getenv(name);
    before[name] = old == nullptr ? std::nullopt : std::optional<std::string>(old);
    ::setenv(name, value.c_str(), 1);
  }
  KernelLaunch kernel;
  kernel.source = "k.cu";
  kernel.entry = "k";
  const std::string text =
      "extern \"C\" __global__ void k(float* x) { x[threadIdx.x] = " + std::to_string(::getpid()) +
      "; }\n";  // not in the cache
  const SourceLookup sources = [&](const std::string& path) -> Result<std::vector<KernelSource>> {
    return std::vector<KernelSource>{kernel_source(path, text)};
  };
  const Result<Listing> listing = listing_of_kernel(kernel, 90, sources);
  for (const auto& [name, value] : before)
    value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
  fs::remove_all(folder);
  ASSERT_TRUE(listing);
  EXPECT_THAT(listing->no_machine_code, HasSubstr("nvdisasm says: 0 files, ELF"));
}

TEST_F(Listings, AreAnsweredOfTheStepThatIsAskedFor) {
  Emulation emulation;
  Job job;
  job.job = 7;
  job.work = ListingJob{};
  job.scene = "csrmm";
  job.variant = "float4_columns";
  job.as<ListingJob>()->step = "no such step";
  job.sources = *sources_of_scene("csrmm");
  JobChannel channel;
  std::vector<Listing> answers;
  channel.send = [&](Message message) {
    if (auto* listing = std::get_if<Listing>(&message)) answers.push_back(std::move(*listing));
  };
  channel.host_work = [](double) {};
  EXPECT_FALSE(emulation.run(job, channel));
  job.as<ListingJob>()->step.clear();
  ASSERT_TRUE(emulation.run(job, channel));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers.front().job, 7);
  EXPECT_EQ(answers.front().point.variant, "float4_columns");
  EXPECT_EQ(answers.front().source, "csrmm/float4_columns.cu");
  // As a line and back.
  const Result<Message> read = parse_line(to_line(answers.front()));
  ASSERT_TRUE(read);
  const auto* same = std::get_if<Listing>(&*read);
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(same->ptx, answers.front().ptx);
  EXPECT_EQ(same->defines, answers.front().defines);
  EXPECT_EQ(same->files, answers.front().files);
}

}  // namespace
}  // namespace warpscope
