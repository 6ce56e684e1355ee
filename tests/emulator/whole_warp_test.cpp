// tests/emulator/whole_warp_test.cpp: loads and stores of a whole warp at once do what lanes do.
#include "profiling/emulator/memory/whole_warp.h"

#include <array>
#include <random>
#include <tuple>

#include "profiling/emulator/instructions/opcode_table.h"
#include "profiling/emulator/run/scheduler.h"
#include "tests/emulator/fixture.h"

namespace warpscope {

// What a failed comparison prints.
static void PrintTo(const AccessTotals& t, std::ostream* out) {
  *out << "requests " << t.requests << " lanes " << t.lanes << " lane bytes " << t.lane_bytes
       << " unique bytes " << t.unique_bytes << " sectors " << t.sectors << " ideal "
       << t.ideal_sectors << " lines " << t.lines;
}

namespace {

constexpr std::size_t kBytes = 4096;    // of each buffer
constexpr std::size_t kLaneBytes = 32;  // of the output, for each lane

// A load and a store of one type, and the registers that hold its elements.
struct Form {
  const char* type;
  int width, count;
  const char* values;
  const char* wide_store;  // of the registers themselves
};
constexpr Form kForms[] = {
    {"u8", 1, 1, "%r10", "u32"},
    {"s8", 1, 1, "%r10", "u32"},
    {"u16", 2, 1, "%r10", "u32"},
    {"s16", 2, 1, "%l20", "u64"},
    {"u32", 4, 1, "%r10", "u32"},
    {"s32", 4, 1, "%l20", "u64"},
    {"f32", 4, 1, "%f10", "f32"},
    {"u64", 8, 1, "%l20", "u64"},
    {"v2.u8", 1, 2, "{%r10, %r11}", "v2.u32"},
    {"v2.f32", 4, 2, "{%f10, %f11}", "v2.f32"},
    {"v4.f32", 4, 4, "{%f10, %f11, %f12, %f13}", "v4.f32"},
    {"v2.u64", 8, 2, "{%l20, %l21}", "v2.u64"},
};

// Lanes take their address from `p0` and, if their bit of n is set, load from it or store to it.
// `p1` has 32 bytes per lane for what was loaded and for what to store.
std::string kernel_of(const Form& form, const std::string& space, bool store, int offset) {
  const std::string at = "[%l4+" + std::to_string(offset) + "]", type = form.type;
  const std::string name = space.empty() ? "" : "." + space, values = form.values;
  const std::string own = std::string(form.wide_store);
  return ptx_entry(2,
                   "ld.param.u64 %l0, [p0];\nld.param.u64 %l1, [p1];\nld.param.u32 %r0, [n];\n"
                   "mov.u32 %r1, %laneid;\nmul.wide.u32 %l2, %r1, 8;\nadd.s64 %l3, %l0, %l2;\n"
                   "ld.global.u64 %l4, [%l3];\nmul.wide.u32 %l5, %r1, 32;\nadd.s64 %l6, %l1, %l5;\n"
                   "shr.u32 %r2, %r0, %r1;\nand.b32 %r2, %r2, 1;\nsetp.ne.u32 %p0, %r2, 0;\n"
                   "ld.global." +
                       own + " " + values + ", [%l6];\n" +
                       (store ? "@%p0 st" + name + "." + type + " " + at + ", " + values + ";\n"
                              : "@%p0 ld" + name + "." + type + " " + values + ", " + at +
                                    ";\nst.global." + own + " [%l6], " + values + ";\n") +
                       "ret;");
}

struct Outcome {
  std::vector<std::uint8_t> full, partly, constant, values;
  std::vector<bool> initialised;  // of `partly`
  Trace trace;
};

struct Request {
  Form form;
  std::string space;
  bool store = false;
  int offset = 0;
  std::uint32_t mask = kAllLanes;
  std::array<std::uint64_t, 32> addresses{};
  std::array<bool, kBytes> written{};  // of `partly`, before the run
};

// Buffers lie where the first run of any memory puts them, so addresses can be chosen before.
struct Places {
  std::uint64_t full = 0, partly = 0, constant = 0;
};

// Requests are kept of a recorded block, which takes every lane by itself.
Outcome outcome_of(const Request& r, bool recorded, Places* places = nullptr) {
  Outcome o;
  for (auto* bytes : {&o.full, &o.partly, &o.constant}) {
    for (std::size_t k = 0; k < kBytes; ++k) bytes->push_back(static_cast<std::uint8_t>(k * 37));
  }
  for (std::size_t k = 0; k < 32 * kLaneBytes; ++k) {
    o.values.push_back(static_cast<std::uint8_t>(k * 101 + 7));
  }
  Bench bench;
  std::vector<std::uint64_t> table(r.addresses.begin(), r.addresses.end());
  std::vector<std::int64_t> addresses(table.begin(), table.end());
  bench.add("table", addresses);
  bench.add("values", o.values);
  bench.pass(r.mask);
  const auto more = [&](const char* name, std::vector<std::uint8_t>& bytes) {
    return bench.memory.add({name, name, ElementType::u8, {kBytes}},
                            std::as_writable_bytes(std::span(bytes)), true);
  };
  Places at;
  at.full = more("full", o.full);
  at.partly = more("partly", o.partly);
  at.constant = more("constant", o.constant);
  if (places != nullptr) *places = at;
  MemoryBuffer& partly = *bench.memory.state().find(at.partly);
  bench.memory.set_initialised(at.partly, false);
  for (std::size_t k = 0; k < kBytes; ++k) {
    if (r.written[k]) partly.mark(k, 1);
  }
  bench.memory.state().find(at.constant)->read_only = true;
  bench.options.traced_block = recorded ? 0 : -1;
  bench.options.writer_entries = 64;
  o.trace = bench.run(kernel_of(r.form, r.space, r.store, r.offset), launch_of(1, 32));
  for (std::size_t k = 0; k < kBytes; ++k) o.initialised.push_back(partly.is_initialised(k, 1));
  return o;
}

class Random {
 public:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  Request request(const Places& places) {
    Request r;
    r.form = kForms[below(std::size(kForms))];
    r.store = below(2) == 0;
    r.space = std::array{"global", "", "const"}[below(r.store ? 2 : 3)];
    const auto width = static_cast<std::uint64_t>(r.form.width * r.form.count);
    r.offset = std::array{0, 0, static_cast<int>(width), 1}[below(4)];
    if (below(4) == 0) r.mask = static_cast<std::uint32_t>(random_());
    const std::uint64_t buffer =
        std::array{places.full, places.full, places.partly, places.constant}[below(4)];
    std::uint64_t base = buffer + width * below(kBytes / width);
    switch (below(8)) {
      case 0:  // at the end, or beyond it by some elements
        base = buffer + kBytes - width * (29 + below(6));
        break;
      case 1:  // at the beginning, or before it
        base = buffer + width * below(3) - width;
        break;
      case 2:  // around the end of all addresses, and null
        base = 0 - width * below(40);
        break;
      case 3:
        base += below(width);  // perhaps misaligned
        break;
      default:
        break;
    }
    const std::uint64_t step = std::array<std::uint64_t, 6>{
        width, width, width, 0, 2 * width, std::uint64_t{0} - width}[below(6)];
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      r.addresses[lane] = base + step * lane - static_cast<std::uint64_t>(r.offset);
    }
    if (below(4) == 0) r.addresses[below(32)] += width;  // one lane out of the row
    const std::uint64_t gap = below(kBytes);
    for (std::size_t k = 0; k < kBytes; ++k) r.written[k] = below(3) == 0 || k != gap;
    if (below(2) == 0) r.written.fill(true);
    return r;
  }

 private:
  std::mt19937_64 random_{7};
};

TEST(WholeWarp, LoadsAndStoresWhatItsLanesWouldOneByOne) {
  Places places;
  const std::vector<std::uint8_t> constant = outcome_of({kForms[0]}, false, &places).constant;
  Random random;
  int faulty = 0, clean = 0;
  for (int n = 0; n < 3000; ++n) {
    const Request r = random.request(places);
    const Outcome whole = outcome_of(r, false), lanes = outcome_of(r, true);
    const std::string what = std::to_string(n) + ": " + (r.store ? "st." : "ld.") + r.space + "." +
                             r.form.type + " at " + std::to_string(r.addresses[0]) + " … " +
                             std::to_string(r.addresses[31]) + "\n" + faults_text(lanes.trace);
    ASSERT_EQ(whole.full, lanes.full) << what;
    ASSERT_EQ(whole.partly, lanes.partly) << what;
    ASSERT_EQ(whole.constant, constant) << what;
    ASSERT_EQ(lanes.constant, constant) << what;
    ASSERT_EQ(whole.values, lanes.values) << what;
    ASSERT_EQ(whole.initialised, lanes.initialised) << what;
    ASSERT_EQ(faults_text(whole.trace), faults_text(lanes.trace)) << what;
    ASSERT_EQ(whole.trace.writers, lanes.trace.writers) << what;
    ASSERT_EQ(whole.trace.thread_instructions, lanes.trace.thread_instructions) << what;
    // What the kept requests cost by the analysis is what both have added up.
    std::vector<AccessTotals> costs(lanes.trace.sites.size());
    for (const WarpRequest& request : lanes.trace.requests) {
      const AccessSite& site = lanes.trace.sites[request.site];
      costs[request.site] += global_cost(request, site.width_bytes, site.kind);
    }
    ASSERT_EQ(whole.trace.sites.size(), costs.size());
    for (std::size_t s = 0; s < costs.size(); ++s) {
      const AccessSite &a = whole.trace.sites[s], &b = lanes.trace.sites[s];
      ASSERT_EQ(a.totals, costs[s]) << what;
      ASSERT_EQ(b.totals, costs[s]) << what;
      ASSERT_EQ(std::tie(a.space, a.buffer), std::tie(b.space, b.buffer)) << what;
    }
    ++(whole.trace.faults.empty() ? clean : faulty);
  }
  EXPECT_GT(clean, 500);
  EXPECT_GT(faulty, 500);
}

// One worker with one warp in front of the first instruction that is a load or a store.
class OneWarp {
 public:
  OneWarp() {
    const Result<Program> program = Program::parse(kernel_of(kForms[4], "global", true, 0), "k.cu");
    EXPECT_TRUE(program);
    kernel_ = *program->kernel("k");
    const std::uint64_t address = memory_.add({"b", "b", ElementType::u32, {kBytes / 4}},
                                              std::as_writable_bytes(std::span(bytes_)), true);
    buffer = memory_.state().find(address);
    run_.kernel = kernel_.get();
    run_.memory = &memory_.state();
    run_.options = &options_;
    run_.parameters.resize(static_cast<std::size_t>(kernel_->parameter_bytes));
    run_.launch = launch_of(1, 32);
    prepare_worker(worker_, run_);
    warp().mask = kAllLanes;
  }
  Warp& warp() { return worker_.warps.front(); }
  const Instruction& access() const {
    for (const Instruction& i : kernel_->code) {
      if (i.site != kNoSite) return i;
    }
    ADD_FAILURE();
    return kernel_->code.front();
  }
  bool loads(std::uint64_t first, int width = 4) {
    return load_contiguous(warp(), access(), first, width) != nullptr;
  }
  bool stores(std::uint64_t first, int width = 4) {
    return store_contiguous(warp(), access(), first, width) != nullptr;
  }
  void forget_writes() { memory_.set_initialised(buffer->address, false); }
  MemoryBuffer* buffer = nullptr;

 private:
  std::vector<std::uint32_t> bytes_ = std::vector<std::uint32_t>(kBytes / 4);
  EmulatedMemory memory_;
  EmulateOptions options_;
  std::shared_ptr<const KernelCode> kernel_;
  RunShared run_;
  Worker worker_;
};

TEST(WholeWarp, TakesRowsThatLieInOneBufferAndLeavesOthersToLanes) {
  OneWarp w;
  const std::uint64_t first = w.buffer->address, last = first + kBytes - 128;
  EXPECT_EQ(load_contiguous(w.warp(), w.access(), first + 4, 4), w.buffer->data + 4);
  EXPECT_EQ(store_contiguous(w.warp(), w.access(), last, 4), w.buffer->data + kBytes - 128);
  EXPECT_TRUE(w.loads(first) && w.loads(last) && w.stores(first));
  EXPECT_FALSE(w.loads(first - 4) || w.loads(last + 4) || w.stores(first - 4) ||
               w.stores(last + 4));
  EXPECT_FALSE(w.loads(0) || w.loads(0 - 64ull) || w.loads(first + 2) || w.stores(first + 2));
  EXPECT_TRUE(w.loads(first + 8, 8));
  EXPECT_FALSE(w.loads(first + 4, 8));
  EXPECT_NE(load_broadcast(w.warp(), w.access(), first + kBytes - 4, 4), nullptr);
  EXPECT_EQ(load_broadcast(w.warp(), w.access(), first + kBytes, 4), nullptr);
  w.buffer->read_only = true;
  EXPECT_TRUE(w.loads(first));
  EXPECT_FALSE(w.stores(first));
  w.buffer->read_only = false;
  w.warp().recorded = true;
  EXPECT_FALSE(w.loads(first) || w.stores(first));
}

TEST(WholeWarp, LeavesBytesThatNothingWroteToLanes) {
  OneWarp w;
  const std::uint64_t first = w.buffer->address;
  w.forget_writes();
  EXPECT_FALSE(w.loads(first + 256));
  EXPECT_TRUE(w.stores(first + 256));
  EXPECT_TRUE(w.loads(first + 256));
  EXPECT_FALSE(w.loads(first + 252) || w.loads(first + 260));
}

TEST(InitialisedBytes, AreThoseOfTheRangesThatWereMarked) {
  std::mt19937 random{3};
  for (int n = 0; n < 300; ++n) {
    MemoryBuffer b;
    b.initialised.reset(static_cast<std::uint64_t*>(std::calloc(5, sizeof(std::uint64_t))));
    std::array<bool, 300> marked{};
    for (int k = 0; k < 6; ++k) {
      const std::uint64_t at = random() % 300, width = 1 + random() % (300 - at);
      const std::uint64_t end =
          at + (random() % 2 == 0 ? width : std::min<std::uint64_t>(width, 9));
      b.mark(at, end - at);
      std::fill(marked.begin() + static_cast<std::ptrdiff_t>(at),
                marked.begin() + static_cast<std::ptrdiff_t>(end), true);
      for (int ask = 0; ask < 200; ++ask) {
        const std::uint64_t from = random() % 300, count = random() % (301 - from);
        const auto begin = marked.begin() + static_cast<std::ptrdiff_t>(from);
        const bool all = std::find(begin, begin + static_cast<std::ptrdiff_t>(count), false) ==
                         begin + static_cast<std::ptrdiff_t>(count);
        ASSERT_EQ(b.is_initialised(from, count), all) << from << " and " << count;
      }
    }
  }
}

// Instructions for a processor without AVX2 give what those of this one give.
TEST(WholeWarp, IsTheSameOnAnyProcessor) {
  OpcodeTable plain;
  any_processor::add_memory(plain);
  const OpcodeTable& here = opcode_table();
  std::vector<std::uint8_t> from(kBytes), to(kBytes);
  for (std::size_t k = 0; k < kBytes; ++k) from[k] = static_cast<std::uint8_t>(k * 89 + 5);
  EmulatedMemory memory;
  const auto add = [&](const char* name, std::vector<std::uint8_t>& bytes) {
    return memory.add({name, name, ElementType::u8, {kBytes}},
                      std::as_writable_bytes(std::span(bytes)), true);
  };
  const std::uint64_t a = add("a", from), b = add("b", to);
  KernelCode kernel;
  kernel.slots = {256, 512, 768, 1024};
  kernel.code.resize(1);
  kernel.sources.resize(1);
  kernel.register_bytes = 2048;
  const EmulateOptions options;
  RunShared run;
  run.kernel = &kernel;
  run.memory = &memory.state();
  run.options = &options;
  run.launch = launch_of(1, 32);
  Worker worker;
  prepare_worker(worker, run);
  Warp& w = worker.warps.front();
  w.mask = kAllLanes;
  Instruction& i = kernel.code.front();
  i.space = AddressSpace::global;
  i.d = kernel.slots.front();
  for (int width = 0; width < 4; ++width) {
    for (int wide = 0; wide < 2; ++wide) {
      for (const int count : {1, 2, 4}) {
        i.width = static_cast<std::uint8_t>(1 << width);
        i.count = static_cast<std::uint8_t>(count);
        const auto row = static_cast<std::uint64_t>(count << width);
        const auto registers = [&](RunInstruction run, std::uint64_t at, std::uint64_t step) {
          std::fill_n(w.registers, kernel.register_bytes, std::byte{0});
          for (std::uint64_t lane = 0; lane < 32; ++lane) {
            w.slot<std::uint64_t>(0)[lane] = at + step * lane;
          }
          run(w, i);
          return std::vector<std::byte>(w.registers, w.registers + kernel.register_bytes);
        };
        for (const int sign : {0, 1}) {
          for (const std::uint64_t step : {row, std::uint64_t{0}, row * 3}) {
            EXPECT_EQ(registers(plain.loads[width][wide][sign], a + 64, step),
                      registers(here.loads[width][wide][sign], a + 64, step))
                << (1 << width) << " × " << count << " by " << step;
          }
        }
        for (const std::uint64_t step : {row, row * 3}) {
          std::vector<std::vector<std::uint8_t>> written;
          for (const OpcodeTable* table : std::array<const OpcodeTable*, 2>{&plain, &here}) {
            std::fill(to.begin(), to.end(), std::uint8_t{0});
            registers(table->loads[width][wide][0], a + 64, row);
            for (std::uint64_t lane = 0; lane < 32; ++lane) {
              w.slot<std::uint64_t>(0)[lane] = b + 64 + step * lane;
            }
            table->stores[width][wide](w, i);
            written.push_back(to);
          }
          EXPECT_EQ(written[0], written[1]) << (1 << width) << " × " << count << " by " << step;
          if (step == row && (wide == 1 || width < 3)) {
            const auto at = static_cast<std::ptrdiff_t>(64),
                       end = at + static_cast<std::ptrdiff_t>(32 * row);
            EXPECT_TRUE(std::equal(from.begin() + at, from.begin() + end, written[0].begin() + at));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpscope
