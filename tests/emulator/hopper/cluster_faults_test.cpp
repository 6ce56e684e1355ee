// tests/emulator/hopper/cluster_faults_test.cpp: mistakes with clusters and with bulk copies out of
// shared memory are named, at their line.
#ifdef WARPSCOPE_WITH_COMPILER

#include <algorithm>

#include "tests/emulator/fixture.h"

namespace warpscope {
namespace {

struct Planted {
  const char* name;
  FaultKind kind;
  const char* body;   // of a kernel over float* a (512 floats), out; t, rank; line BUG
  const char* words;  // of the sentence
  std::int64_t cluster = 2;
};

const Planted kPlanted[] = {
    {"ended", FaultKind::out_of_bounds,
     "s[t] = t; cluster_sync();\n"
     "if (rank == 0) out[t] = load_from(mapped(shared_address(s + t), 1));  // BUG\n",
     "which has ended: a barrier.cluster before its end would keep it alive"},
    {"not_begun", FaultKind::out_of_bounds,
     "s[t] = t; __syncthreads();\n"
     "out[t] = load_from(mapped(shared_address(s + t), 1));  // BUG\n",
     "which may not have started"},
    {"rank_outside", FaultKind::out_of_bounds,
     "s[t] = t; cluster_sync();\n"
     "out[t] = load_from(mapped(shared_address(s + t), 5));  // BUG\n"
     "cluster_sync();",
     "goes to the block of rank 5 in a cluster of 2 blocks"},
    {"nothing_written", FaultKind::uninitialised_read,
     "if (rank == 0) s[t] = t;\ncluster_sync();\n"
     "if (rank == 0) out[t] = load_from(mapped(shared_address(s + t), 1));  // BUG\n"
     "cluster_sync();",
     "of the block of rank 1 of the cluster, which was never written"},
    {"own_block_alone", FaultKind::out_of_bounds,
     "s[t] = t; cluster_sync(); float v = 0;\n"
     "asm volatile(\"ld.shared.f32 %0, [%1];\" : \"=f\"(v) : \"r\"(mapped(shared_address(s + t), "
     "rank ^ 1)));  // BUG\nout[t] = v; cluster_sync();",
     "which .shared::cta does not reach"},
    {"beyond", FaultKind::out_of_bounds,
     "s[t] = t; cluster_sync();\n"
     "out[t] = load_from(mapped(shared_address(s + 2000 + t), rank ^ 1));  // BUG\ncluster_sync();",
     "beyond its "},
    {"never_arrives", FaultKind::deadlock,
     "if (t == 0) barrier_init(barrier, 1); __syncthreads();\n"
     "if (rank == 1) barrier_wait(barrier, 0);\ncluster_arrive();\n"
     "cluster_wait();  // BUG\n",
     "waits with 64 of 128 threads of the cluster; 64 of block (1, 0, 0) never arrive"},
    {"twice", FaultKind::divergent_barrier,
     "cluster_arrive();\ncluster_arrive();  // BUG\ncluster_wait();",
     "is reached again before barrier.cluster.wait"},
    {"parted", FaultKind::divergent_barrier,
     "if (t % 2 == 0) {\ncluster_arrive();  // BUG\n} else { cluster_arrive(); }\ncluster_wait();",
     "leave out .aligned"},
    {"no_wait_before", FaultKind::divergent_barrier, "cluster_wait();  // BUG\n",
     "is reached without barrier.cluster.arrive before it"},
    {"no_barrier_there", FaultKind::uninitialised_read,
     "if (t == 0 && rank == 0) barrier_init(barrier, 64);\ncluster_sync();\n"
     "if (rank == 0) barrier_arrive_at(mapped(barrier, 1));  // BUG\ncluster_sync();",
     "of another block of the cluster, which no mbarrier.init has initialised"},
    {"copy_not_awaited", FaultKind::missing_wait,
     "if (t == 0) { barrier_init(barrier, 1); barrier_init_fence();\n"
     "barrier_arrive_expecting(barrier, 256); }\ncluster_sync();\n"
     "if (rank == 0 && t == 0) asm volatile(\"cp.async.bulk.shared::cluster.global.mbarrier::"
     "complete_tx::bytes.multicast::cluster [%0], [%1], 256, [%2], %3;\" :: "
     "\"r\"(shared_address(s)), \"l\"(a), \"r\"(barrier), \"h\"((short)3) : \"memory\");\n"
     "cluster_sync();\nif (rank == 1) out[t] = s[t];  // BUG\n"
     "barrier_wait(barrier, 0); cluster_sync();",
     "another block"},
    {"overwritten", FaultKind::missing_wait,
     "s[t] = t; copies_see(); __syncthreads();\n"
     "if (t == 0) { store_bytes(out, shared_address(s), 256); commit_stores(); "
     "}\n__syncthreads();\n"
     "s[t] = 1;  // BUG\n"
     "if (t == 0) wait_until_stored();",
     "may still read: it has not waited for the copy's group", 1},
    {"no_fence", FaultKind::missing_fence,
     "s[t] = t; __syncthreads();\n"
     "if (t == 0) { store_bytes(out, shared_address(s), 256);  // BUG\n"
     "commit_stores(); wait_until_stored(); }",
     "wrote without a fence.proxy.async after it", 1},
    {"copy_reads_nothing", FaultKind::uninitialised_read,
     "if (t == 0) { store_bytes(out, shared_address(s), 256);  // BUG\n"
     "commit_stores(); wait_until_stored(); }",
     "which was never written", 1},
    {"store_beyond", FaultKind::out_of_bounds,
     "s[t] = t; copies_see(); __syncthreads();\n"
     "if (t == 0) { store_bytes(out + 384, shared_address(s), 256 * 2 + 16);  // BUG\n"
     "commit_stores(); wait_until_stored(); }",
     "16 bytes beyond the 2048 bytes of out", 1},
    {"store_askew", FaultKind::misaligned,
     "s[t] = t; copies_see(); __syncthreads();\n"
     "if (t == 0) { store_bytes(out + 1, shared_address(s), 64);  // BUG\n"
     "commit_stores(); wait_until_stored(); }",
     "which is not aligned to a multiple of 16", 1},
    {"no_function", FaultKind::unsupported,
     "float (*volatile f)(float) = nullptr;\n"
     "out[t] = f(a[t]);  // BUG\n",
     "call through an address that no function of this kind has", 1},
};

class ClusterFaults : public testing::TestWithParam<Planted> {};

TEST_P(ClusterFaults, AreNamedAtTheirLine) {
  const Planted& planted = GetParam();
  const std::string text =
      std::string(
          "#include \"../tests/emulator/hopper/cluster.cuh\"\n"
          "extern \"C\" __global__ void k(const float* a, float* out) {\n"
          "__shared__ alignas(128) float s[256];\n"
          "__shared__ alignas(8) unsigned long long barriers[1];\n"
          "const unsigned barrier = shared_address(barriers), rank = cluster_rank();\n"
          "const int t = threadIdx.x;\n"
          "if (a == nullptr) { out[rank] = s[t] + barrier; return; }\n") +
      planted.body + "\n}\n";
  const std::size_t mark = text.find("// BUG");
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(mark), '\n');
  WARPSCOPE_COMPILE(ptx, text);
  std::vector<float> a(512, 1), out(512);
  Bench bench;
  bench.add("a", a);
  bench.add("out", out, false);
  Launch launch = launch_of(planted.cluster, 64);
  launch.cluster.x = planted.cluster;
  const Trace trace = bench.run(ptx, launch);
  const auto found = std::find_if(trace.faults.begin(), trace.faults.end(), [&](const Fault& f) {
    return f.kind == planted.kind && f.position.line == line &&
           f.sentence.find(planted.words) != std::string::npos;
  });
  EXPECT_NE(found, trace.faults.end()) << "line " << line << "\n" << faults_text(trace);
}

INSTANTIATE_TEST_SUITE_P(All, ClusterFaults, testing::ValuesIn(kPlanted),
                         [](const auto& info) { return std::string(info.param.name); });

// Block 0 waits at the cluster's barrier for block 1, whose warps wait at an mbarrier before it.
TEST(ClusterFaults, TellWhoNeverComesToTheBarrier) {
  WARPSCOPE_COMPILE(ptx, R"(#include "../tests/emulator/hopper/cluster.cuh"
extern "C" __global__ void k(float* out) {
  __shared__ alignas(8) unsigned long long barriers[1];
  const unsigned barrier = shared_address(barriers);
  if (threadIdx.x == 0) barrier_init(barrier, 1);
  __syncthreads();
  if (cluster_rank() == 1) barrier_wait(barrier, 0);
  cluster_arrive();
  cluster_wait();
  out[threadIdx.x] = 1;
})");
  std::vector<float> out(64);
  Bench bench;
  bench.add("out", out, false);
  Launch launch = launch_of(2, 64);
  launch.cluster.x = 2;
  const Trace trace = bench.run(ptx, launch);
  ASSERT_TRUE(trace.hang) << faults_text(trace);
  const std::vector<WaitingWarps>& waits = trace.hang->waits;
  const auto row = std::find_if(waits.begin(), waits.end(), [](const WaitingWarps& w) {
    return w.kind == WaitKind::cluster_barrier;
  });
  ASSERT_NE(row, waits.end()) << trace.hang->verdict;
  EXPECT_EQ(row->block, 0);
  EXPECT_EQ(row->warps, (std::vector<int>{0, 1}));
  EXPECT_EQ(row->position.line, 9);
  EXPECT_EQ(row->expected, 128);
  EXPECT_EQ(row->arrived, 64);
  ASSERT_EQ(row->absent.size(), 1u) << row->sentence;
  EXPECT_EQ(row->absent[0].block, 1);
  EXPECT_EQ(row->absent[0].warps, (std::vector<int>{0, 1}));
  EXPECT_FALSE(row->absent[0].ended);
  EXPECT_EQ(row->absent[0].position.line, 7);
  EXPECT_NE(row->sentence.find("where 64 of 128 threads have come"), std::string::npos)
      << row->sentence;
}

// A thread that ends while a copy may still read is named where it ends.
TEST(ClusterFaults, NameThreadsThatEndBeforeTheirCopies) {
  WARPSCOPE_COMPILE(ptx, R"(#include "../tests/emulator/hopper/cluster.cuh"
extern "C" __global__ void k(float* out) {
  __shared__ alignas(128) float s[64];
  s[threadIdx.x] = threadIdx.x;
  copies_see();
  __syncthreads();
  if (threadIdx.x == 0) {
    store_bytes(out, shared_address(s), 256);
    commit_stores();
  }
})");
  std::vector<float> out(64);
  Bench bench;
  bench.add("out", out, false);
  const Trace trace = bench.run(ptx, launch_of(1, 64));
  ASSERT_EQ(trace.faults.size(), 1u) << faults_text(trace);
  EXPECT_EQ(trace.faults[0].kind, FaultKind::missing_wait);
  EXPECT_NE(trace.faults[0].sentence.find("ends before it has waited"), std::string::npos);
  EXPECT_EQ(out[63], 63);
}

TEST(CooperativeLaunches, AreRefusedWhereTheGridIsNotResident) {
  WARPSCOPE_COMPILE(ptx, "extern \"C\" __global__ void k(float* out) { out[threadIdx.x] = 1; }");
  const Result<Program> program = Program::parse(ptx, "test.cu");
  ASSERT_TRUE(program);
  std::vector<float> out(1024);
  Bench bench;
  bench.add("out", out, false);
  bench.options.check_block_races = false;
  const auto run = [&](std::int64_t blocks, bool cooperative) {
    Launch launch = launch_of(blocks, 1024);
    launch.cooperative = cooperative;
    return emulate(*program, "k", launch, bench.arguments, bench.memory, bench.options);
  };
  EXPECT_TRUE(run(264, true));  // two blocks of 1024 threads on each multiprocessor of an H200
  const Result<EmulatedRun> over = run(265, true);
  ASSERT_FALSE(over);
  EXPECT_NE(sentence(over.error()).find("an H200 holds 264 of them"), std::string::npos);
  EXPECT_TRUE(run(265, false));
}

}  // namespace
}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
