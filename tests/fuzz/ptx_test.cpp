// tests/fuzz/ptx_test.cpp: no PTX, however broken, crashes the parser, the decoder or a run.
#include <gtest/gtest.h>

#include <random>

#include "profiling/emulator/emulator.h"
#include "tests/fuzz/mutation.h"

namespace warpscope {
namespace {

const char* const kPtx = R"(.version 9.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.const .align 4 .b8 c[8] = {0, 0, 128, 63, 1};
.global .align 8 .u64 g[2] = {generic(c), 5};
.extern .shared .align 16 .b8 dyn[];
.func (.param .b32 o) f(.param .b32 i) {
.reg .f32 %f<4>;
ld.param.f32 %f1, [i];
add.rz.ftz.sat.f32 %f2, %f1, 0f3F800000;
st.param.f32 [o+0], %f2;
ret;
}
.visible .entry k(.param .u64 p, .param .align 8 .b8 s[16], .param .u32 n)
.maxntid 64, 1, 1
{
.local .align 16 .b8 depot[32];
.shared .align 4 .b8 sh[256];
.reg .pred %p<5>; .reg .b16 %h<5>; .reg .b32 %r<20>; .reg .f32 %f<10>; .reg .b64 %l<12>;
.loc 1 3 1
ld.param.u64 %l1, [p];
ld.param.v2.u32 {%r1, %r2}, [s+8];
mov.u32 %r3, %tid.x;
mul.wide.u32 %l2, %r3, 4;
add.s64 %l3, %l1, %l2;
.loc 2 9 1, function_name $x, inlined_at 1 3 1
setp.lt.and.s32 %p1|%p2, %r3, 16, !%p3;
@%p1 bra $L1;
ld.global.nc.v2.f32 {%f1, %f2}, [%l3+-4];
st.shared.f32 [sh+4], %f1;
shfl.sync.bfly.b32 %r5|%p4, %r3, 1, 31, -1;
cvt.rni.sat.s8.f32 %r6, %f1;
atom.global.add.f32 %f3, [%l1], %f2;
bra.uni $L2;
$L1:
{ .reg .b32 t; .param .b32 a0; st.param.f32 [a0], %f1; .param .b32 r0;
call.uni (r0), f, (a0); ld.param.f32 %f4, [r0+0]; }
mov.b64 {%r7, %r8}, %l3;
lop3.b32 %r9, %r7, %r8, %r3, 0x96;
$L2:
bar.sync 0;
{ .reg .pred q; .reg .b64 u; .shared .align 8 .b64 mb;
mbarrier.init.shared::cta.b64 [mb], 64;
cp.async.ca.shared.global [sh+16], [%l1], 16;
cp.async.mbarrier.arrive.noinc.shared.b64 [mb];
mbarrier.arrive.expect_tx.shared.b64 u, [mb], %r3;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [%l1], 64, [mb];
cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [sh+128], [s, {%r3, %r1}], [mb];
W: mbarrier.try_wait.parity.shared.b64 q, [mb], 0;
@!q bra W;
mbarrier.test_wait.b64 q, [%l3], u;
}
st.local.v4.f32 [depot], {%f1, %f2, %f3, %f4};
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, {%f1,%f2,%f3,%f4};
T: .branchtargets $L1, $L2, $L3;
@%p2 brx.idx %r3, T;
$L3:
ret;
}
.file 1 "fuzz.cu"
.section .debug_str { $x: .b8 1,2,0 }
)";

const std::vector<std::string> kWords = {"%r1",
                                         "%l3",
                                         "%p1",
                                         "{",
                                         "}",
                                         "[",
                                         "]",
                                         ";",
                                         ",",
                                         "@",
                                         "!",
                                         ".reg",
                                         ".b32",
                                         "0x",
                                         "0f7F8",
                                         "-1",
                                         "<0>",
                                         "<99999999>",
                                         ".",
                                         "call",
                                         "ret;",
                                         "$L1:",
                                         "bra",
                                         "99999999999999999999",
                                         "/*",
                                         "\"",
                                         "|",
                                         "()",
                                         ".func",
                                         ".entry",
                                         ".align 3",
                                         "[4294967295]",
                                         "bar.sync 1, 64;",
                                         "trap;"};

// Parses, decodes and, with a small budget, runs; anything but a crash is fine.
void try_all(const std::string& text, std::int64_t& ran) {
  const Result<Program> program = Program::parse(text, "fuzz.cu");
  if (!program) {
    EXPECT_FALSE(program.error().what.empty()) << text;
    EXPECT_EQ(program.error().kind, ErrorKind::input) << text;
    return;
  }
  for (const std::string& entry : program->entries()) {
    const auto kernel = program->kernel(entry);
    if (!kernel) {  // its parameters could not be read
      EXPECT_EQ(kernel.error().kind, ErrorKind::input) << text;
      continue;
    }
    std::vector<float> values(256, 1.0f);
    EmulatedMemory memory;
    const std::uint64_t p = memory.add({"p", "p", ElementType::f32, {256}},
                                       std::as_writable_bytes(std::span(values)), true);
    std::vector<ArgumentBytes> arguments;
    for (const ParameterInfo& info : parameters(**kernel)) {
      if (info.bytes > 4096) return;
      ArgumentBytes bytes;
      bytes.value.resize(static_cast<std::size_t>(info.bytes));
      if (info.bytes == 8) bytes = argument_of(p);
      arguments.push_back(std::move(bytes));
    }
    EmulateOptions options;
    options.instruction_budget = 20'000;
    options.maximum_requests = 1000;
    Launch launch;
    launch.block.x = 64;
    const Result<EmulatedRun> run = emulate(*program, entry, launch, arguments, memory, options);
    if (run) ++ran;
  }
}

TEST(Fuzz, PtxIsReadAndRunOrRefusedWithASentence) {
  std::int64_t ran = 0;
  for_mutations({kPtx}, kWords, [&](const std::string& text) { try_all(text, ran); });
  EXPECT_GT(ran, 10);
}

TEST(Fuzz, EveryBeginningOfPtxIsReadOrRefused) {
  const std::string whole = kPtx;
  std::int64_t ran = 0;
  for (std::size_t end = 0; end < whole.size(); ++end) try_all(whole.substr(0, end), ran);
}

TEST(Fuzz, RandomBytesAreRefused) {
  std::mt19937_64 random(3);
  std::int64_t ran = 0;
  for (int turn = 0; turn < 500; ++turn) {
    std::string text(1 + random() % 300, ' ');
    for (char& c : text) c = static_cast<char>(random());
    try_all(text, ran);
  }
  EXPECT_EQ(ran, 0);
}

}  // namespace
}  // namespace warpscope
