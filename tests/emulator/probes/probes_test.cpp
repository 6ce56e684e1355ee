// tests/emulator/probes/probes_test.cpp: kernels with probes compute what they compute without
// them, and note what each warp passes.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "profiling/emulator/probes/ptx_probes.h"
#include "profiling/warps/warp_spans.h"
#include "tests/emulator/fixture.h"
#include "tests/folders.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

constexpr std::int64_t kBlocks = 2;
constexpr int kElements = 1 << 20;

std::string read_text(const std::string& name) {
  std::ifstream file(source_folder() / "tests" / "engine" / "warp_marks" / name);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A kernel of the list of marks, without marks.
std::string text_of(const std::string& kernel) {
  const std::string include = "#include \"parts.cuh\"\n";
  std::string text = read_text(kernel + ".cu");
  const std::size_t at = text.find(include);
  std::string parts = read_text("parts.cuh");
  for (char& c : parts) c = c == '\t' ? ' ' : c;
  parts.erase(parts.find("#pragma once"), 12);
  return at == std::string::npos
             ? text
             : text.substr(0, at) + "#define MARKS 0\n#line 1 \"parts.cuh\"\n" + parts +
                   "#line 4 \"test.cu\"\n" + text.substr(at + include.size());
}

struct Case {
  const char* kernel;
  int threads;
  std::int64_t shared;
  bool specialised;
};
void PrintTo(const Case& of, std::ostream* out) { *out << of.kernel; }

struct Outcome {
  std::vector<float> y;
  Trace trace;
  std::set<std::uint32_t> other_lanes;
};

// Where the records begin in their buffer; set in the setup as well.
std::size_t aligned(std::uint64_t address, ProbeSetup& setup) {
  const auto step = static_cast<std::uint64_t>(aligned_to(setup));
  setup.records = (address + step - 1) / step * step;
  return setup.records - address;
}

class Probes : public testing::TestWithParam<Case> {
 protected:
  // Runs the PTX; `timeline`: with buffers for its records, which are read into it.
  static Outcome run(const std::string& ptx, const Case& of, WarpTimeline* timeline = nullptr) {
    Outcome outcome;
    std::vector<float> x(kElements), unused(1);
    for (int k = 0; k < kElements; ++k) x[static_cast<std::size_t>(k)] = static_cast<float>(k % 97);
    outcome.y.assign(static_cast<std::size_t>(kBlocks * 131072), -1);
    std::vector<std::int64_t> marks(static_cast<std::size_t>(kBlocks * 64));
    Bench bench;
    const std::string kernel = of.kernel;
    const bool reads = kernel != "store_warp" && kernel != "uneven_warps";
    if (reads) bench.add("x", x);
    bench.add("y", outcome.y);
    bench.add("marks", marks);
    if (kernel == "store_warp") bench.pass(static_cast<int>(kBlocks * 131072));
    if (reads) bench.pass(kElements);
    const Result<Program> program = Program::parse(ptx, "test.cu");
    if (!program) {
      ADD_FAILURE() << sentence(program.error());
      return outcome;
    }
    const int warps = of.threads / 32;
    ProbeSetup setup = probe_setup(kBlocks, warps, 64 << 20);
    std::vector<std::byte> records(static_cast<std::size_t>(record_bytes(setup, warps))),
        headers(static_cast<std::size_t>(header_bytes(setup, warps)));
    std::size_t skipped = 0;
    if (timeline != nullptr) {
      EmulatedMemory::Spec spec;
      spec.type = ElementType::u8;
      spec.name = spec.symbol = "records";
      spec.shape = {static_cast<std::int64_t>(records.size())};
      skipped = aligned(bench.memory.add(spec, records, true), setup);
      spec.name = spec.symbol = "headers";
      spec.shape = {static_cast<std::int64_t>(headers.size())};
      setup.headers = bench.memory.add(spec, headers, true);
      const Result<void> filled = bench.memory.fill_variable(
          *program, kProbeSetupName, std::as_bytes(std::span<const ProbeSetup>(&setup, 1)));
      EXPECT_TRUE(filled) << sentence(filled.error());
    }
    Result<EmulatedRun> done = emulate(*program, kernel, launch_of(kBlocks, of.threads, of.shared),
                                       bench.arguments, bench.memory, bench.options);
    if (!done) {
      ADD_FAILURE() << sentence(done.error());
      return outcome;
    }
    outcome.trace = std::move(done->trace);
    if (timeline != nullptr) {
      ReadWarps read = read_warp_rows(std::span<const std::byte>(records).subspan(skipped), headers,
                                      setup, warps);
      timeline->rows = std::move(read.rows);
      timeline->warps_per_block = warps;
      outcome.other_lanes = std::move(read.other_lanes);
    }
    return outcome;
  }
  static void expect_the_same_where_records_are_kept(const std::string& ptx, const Case& of,
                                                     const Outcome& plain,
                                                     const WarpTimeline& timeline,
                                                     const std::set<std::uint32_t>& elected);
};

// Once more, with the record of each wait written when it begins again.
void Probes::expect_the_same_where_records_are_kept(const std::string& ptx, const Case& of,
                                                    const Outcome& plain,
                                                    const WarpTimeline& timeline,
                                                    const std::set<std::uint32_t>& elected) {
  ProbeChoice choice{{}, elected, {}};
  for (std::size_t k = 0; k < timeline.spans.size(); ++k) choice.late.insert(k);
  const Result<ProbedPtx> probed = with_probes(ptx, of.kernel, {}, choice);
  ASSERT_TRUE(probed) << sentence(probed.error());
  WarpTimeline kept;
  const Outcome other = run(probed->ptx, of, &kept);
  EXPECT_EQ(faults_text(other.trace), "");
  EXPECT_TRUE(plain.y == other.y);
  const auto passed = [](const WarpRow& row) {
    std::vector<std::uint32_t> probes;
    for (const WarpRecord& at : row.records) probes.push_back(at.probe);
    return probes;
  };
  ASSERT_EQ(kept.rows.size(), timeline.rows.size());
  for (std::size_t k = 0; k < kept.rows.size(); ++k)
    EXPECT_EQ(passed(kept.rows[k]), passed(timeline.rows[k])) << k;
}

TEST_P(Probes, ChangeNoOutputAndNoteEachWait) {
  const Case& of = GetParam();
  WARPSCOPE_COMPILE(ptx, text_of(of.kernel));
  Result<ProbedPtx> probed = with_probes(ptx, of.kernel, {});
  ASSERT_TRUE(probed) << sentence(probed.error());
  const Outcome plain = run(ptx, of);
  EXPECT_EQ(faults_text(plain.trace), "");
  WarpTimeline elected;
  const Outcome first = run(probed->ptx, of, &elected);
  EXPECT_EQ(faults_text(first.trace), "");
  EXPECT_TRUE(plain.y == first.y);
  // Again with lane 0 writing where it passes.
  probed = with_probes(ptx, of.kernel, {}, {{}, first.other_lanes});
  ASSERT_TRUE(probed) << sentence(probed.error());
  WarpTimeline timeline;
  timeline.spans = probed->spans;
  const Outcome other = run(probed->ptx, of, &timeline);
  EXPECT_EQ(faults_text(other.trace), "");
  EXPECT_TRUE(plain.y == other.y);
  ASSERT_EQ(timeline.rows.size(), elected.rows.size());
  for (std::size_t k = 0; k < elected.rows.size(); ++k)
    EXPECT_EQ(timeline.rows[k].records.size(), elected.rows[k].records.size());
  expect_the_same_where_records_are_kept(ptx, of, plain, timeline, first.other_lanes);
  ASSERT_EQ(timeline.rows.size(), static_cast<std::size_t>(kBlocks * of.threads / 32));
  EXPECT_EQ(roles_of(timeline).specialised, of.specialised);
  for (const WarpRow& row : timeline.rows) {
    SCOPED_TRACE("block " + std::to_string(row.block) + " warp " + std::to_string(row.warp));
    EXPECT_EQ(row.lost, 0);
    ASSERT_FALSE(row.records.empty());
    EXPECT_GE(row.records.front().cycle, row.begin);
    EXPECT_LE(row.records.back().cycle, row.end);
    // Each wait that begins ends, and only loops have others in them.
    std::int64_t before = 0;
    for (const WarpSpan& span : spans_of(timeline, row)) {
      EXPECT_FALSE(span.cut) << span_words(timeline, span.type, span.span);
      if (span.type != SpanType::wait) continue;
      EXPECT_GE(span.begin, before) << span_words(timeline, span.type, span.span);
      before = span.end;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Probes,
    testing::Values(Case{"bulk_ring", 160, 65536, true}, Case{"async_ring", 192, 0, true},
                    Case{"named_barriers", 128, 0, true}, Case{"store_warp", 160, 0, true},
                    Case{"two_groups", 160, 0, true}, Case{"three_roles", 160, 0, true},
                    Case{"uneven_warps", 256, 0, false}, Case{"double_buffer", 128, 0, false},
                    Case{"bulk_at_once", 128, 0, false}, Case{"load_then_compute", 256, 0, false},
                    Case{"row_loops", 128, 0, false}, Case{"tree_reduction", 512, 0, false}),
    [](const auto& info) { return std::string(info.param.kernel); });

using ProbedRing = Probes;

TEST_F(ProbedRing, HasASpanForEachOfItsTiles) {
  const Case of{"bulk_ring", 160, 65536, true};
  WARPSCOPE_COMPILE(ptx, text_of(of.kernel));
  const Result<ProbedPtx> probed = with_probes(ptx, of.kernel, {});
  ASSERT_TRUE(probed) << sentence(probed.error());
  WarpTimeline timeline;
  timeline.spans = probed->spans;
  run(probed->ptx, of, &timeline);
  const RecordedRoles roles = roles_of(timeline);
  ASSERT_EQ(roles.roles.size(), 2u);
  EXPECT_EQ(roles.roles[0].name, "producer");
  EXPECT_EQ(warp_list(roles.roles[0].warps), "0");
  EXPECT_EQ(roles.roles[1].name, "consumer");
  EXPECT_EQ(warp_list(roles.roles[1].warps), "1-4");
  constexpr int kTiles = 32;  // of each block
  int waits = 0, starts = 0;
  for (const SpanSum& sum : sums_of(timeline, roles)) {
    if (sum.span < 0) continue;
    const SpanKind kind = timeline.spans[static_cast<std::size_t>(sum.span)].kind;
    if (sum.type == SpanType::wait && kind == SpanKind::mbarrier) {
      EXPECT_EQ(sum.count, kTiles * kBlocks * (sum.role == 0 ? 1 : 4));
      ++waits;
    }
    if (kind == SpanKind::issue_copy) {
      EXPECT_EQ(sum.count, kTiles * kBlocks);
      EXPECT_EQ(sum.role, 0);
      ++starts;
    }
  }
  EXPECT_EQ(waits, 2);
  EXPECT_EQ(starts, 1);
}

// One warp that runs a body with probes.
class ProbedBody : public testing::Test {
 protected:
  static ReadWarps run(const std::string& body, const ProbeChoice& choice) {
    const Result<ProbedPtx> probed = with_probes(ptx_entry(0, body), "k", {}, choice);
    EXPECT_TRUE(probed) << sentence(probed.error());
    const Result<Program> program = Program::parse(probed->ptx, "test.cu");
    EXPECT_TRUE(program) << sentence(program.error());
    Bench bench;
    bench.pass(0);
    ProbeSetup setup = probe_setup(1, 1, 0);
    EXPECT_EQ(setup.first_lane_slots, 32u);
    std::vector<std::byte> records(static_cast<std::size_t>(record_bytes(setup, 1))),
        headers(static_cast<std::size_t>(header_bytes(setup, 1)));
    EmulatedMemory::Spec spec;
    spec.type = ElementType::u8;
    spec.name = spec.symbol = "records";
    spec.shape = {static_cast<std::int64_t>(records.size())};
    const std::size_t skipped = aligned(bench.memory.add(spec, records, true), setup);
    spec.name = spec.symbol = "headers";
    spec.shape = {static_cast<std::int64_t>(headers.size())};
    setup.headers = bench.memory.add(spec, headers, true);
    EXPECT_TRUE(bench.memory.fill_variable(*program, kProbeSetupName,
                                           std::as_bytes(std::span<const ProbeSetup>(&setup, 1))));
    const Result<EmulatedRun> done =
        emulate(*program, "k", launch_of(1, 32), bench.arguments, bench.memory, bench.options);
    EXPECT_TRUE(done) << sentence(done.error());
    EXPECT_EQ(faults_text(done->trace), "");
    return read_warp_rows(std::span<const std::byte>(records).subspan(skipped), headers, setup, 1);
  }
};

// By the first active lane; by lane 0; by lane 0 when the wait begins again.
std::vector<ProbeChoice> ways_to_write() {
  return {{}, {{}, std::set<std::uint32_t>{}, {}}, {{}, std::set<std::uint32_t>{}, {0, 1}}};
}

TEST_F(ProbedBody, LosesRecordsThatFindNoRoomAndCountsThem) {
  const std::string body =
      "mov.u32 %r1, 0;\nLOOP:\nbar.sync 0;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 100;\n"
      "@%p1 bra LOOP;\nret;\n";
  for (const ProbeChoice& choice : ways_to_write()) {
    SCOPED_TRACE(choice.late.size());
    const ReadWarps read = run(body, choice);
    ASSERT_EQ(read.rows.size(), 1u);
    // A slot for the loop's beginning, one for its end, and one per barrier, with two records.
    EXPECT_EQ(read.rows[0].records.size(), 1u + 2 * 31);
    EXPECT_EQ(read.rows[0].lost, 2 + 100 - 32);
    EXPECT_TRUE(read.other_lanes.empty());
  }
}

TEST_F(ProbedBody, NotesWhatOtherLanesThanTheFirstPass) {
  const std::string body =
      "mov.u32 %r1, %laneid;\nsetp.ne.u32 %p1, %r1, 5;\n@%p1 bra END;\n"
      "cp.async.wait_all;\nEND:\nbar.sync 0;\nret;\n";
  const ReadWarps read = run(body, {});
  EXPECT_EQ(read.other_lanes, (std::set<std::uint32_t>{0, 1}));
  const ReadWarps again = run(body, {{}, read.other_lanes});
  ASSERT_EQ(again.rows.size(), 1u);
  EXPECT_EQ(again.rows[0].records.size(), 4u);
  EXPECT_EQ(run(body, {{}, std::set<std::uint32_t>{}}).rows[0].records.size(), 2u)
      << "lane 0 does not pass the wait";
}

TEST_F(ProbedBody, NotesAWaitUnderAConditionWhereItHolds) {
  const std::string body =
      "mov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 40;\n@%p1 bar.sync 0;\n@!%p1 bar.sync 1;\n"
      "ret;\n";
  for (const ProbeChoice& choice : ways_to_write()) {
    SCOPED_TRACE(choice.late.size());
    const ReadWarps read = run(body, choice);
    ASSERT_EQ(read.rows[0].records.size(), 2u);
    EXPECT_EQ(read.rows[0].records[0].probe, 0u);
    EXPECT_EQ(read.rows[0].records[1].probe, 1u);
  }
}

TEST(ProbePlacing, RefusesALineWithoutInstructions) {
  ProbePlaces places;
  places.lines = {12};
  const Result<ProbedPtx> probed = with_probes(ptx_entry(0, "ret;"), "k", places);
  ASSERT_FALSE(probed);
  EXPECT_EQ(probed.error().what, "line 12 has no instruction");
  EXPECT_FALSE(with_probes(ptx_entry(0, "ret;"), "other", {}));
}

TEST(ProbePlacing, LeavesOutWhatIsDropped) {
  const std::string body = "bar.sync 0;\nbar.sync 1;\nret;\n";
  const Result<ProbedPtx> all = with_probes(ptx_entry(0, body), "k", {});
  const Result<ProbedPtx> one = with_probes(ptx_entry(0, body), "k", {}, {{0}, {}});
  ASSERT_TRUE(all && one);
  ASSERT_EQ(one->spans.size(), 2u);
  EXPECT_TRUE(one->spans[0].dropped);
  EXPECT_FALSE(one->spans[1].dropped);
  const auto probes = [](const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("%clock;", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(probes(all->ptx), 4u);
  EXPECT_EQ(probes(one->ptx), 2u);
}

}  // namespace
}  // namespace warpscope

#endif
