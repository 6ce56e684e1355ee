// tests/emulator/foreign/foreign_ptx_test.cpp: PTX of Triton, Numba, CuTe DSL and clang runs, has
// the right outputs, and its accesses and faults resolve to the lines of the producer's source.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <fstream>
#include <set>
#include <sstream>

#include "scenes/base/half.h"
#include "tests/emulator/foreign/foreign_cases.h"
#include "tests/folders.h"

namespace warpscope::foreign {
namespace {

using testing::EndsWith;

HostArray stored(const Array& array) {
  HostArray made(array.type, array.count());
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    const double v = array.values[i];
    if (array.type == ElementType::f32) made.as<float>()[i] = static_cast<float>(v);
    if (array.type == ElementType::f64) made.as<double>()[i] = v;
    if (array.type == ElementType::i32) made.as<std::int32_t>()[i] = static_cast<std::int32_t>(v);
    if (array.type == ElementType::f16) made.as<std::uint16_t>()[i] = to_f16(static_cast<float>(v));
  }
  return made;
}
Numbers loaded(const HostArray& array) {
  Numbers values;
  for (std::int64_t k = 0; k < array.count(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    values.push_back(array.type() == ElementType::f32   ? array.as<float>()[i]
                     : array.type() == ElementType::f64 ? array.as<double>()[i]
                                                        : array.as<std::int32_t>()[i]);
  }
  return values;
}

std::string text_of(const std::string& name) {
  const auto path = source_folder() / "tests/emulator/foreign" / name;
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The lines of a kernel in its source, and the one that says which fault it has; 0: none says so.
struct Lines {
  int first = 0, last = 0, fault = 0;
};
Lines lines_of(const std::string& source, const std::string& kernel) {
  std::istringstream text(source);
  Lines lines;
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    const bool head = line.starts_with("def ") || line.starts_with("GLOBAL void ");
    const bool begins = head && line.find(" " + kernel + "(") != std::string::npos;
    if (begins) lines.first = number;
    const bool inside = lines.first > 0 && (begins || !head);
    if (lines.first > 0 && head && !begins) break;
    if (inside) lines.last = number;
    if (inside && line.find(" fault: ") != std::string::npos) lines.fault = number;
  }
  EXPECT_GT(lines.first, 0) << kernel;
  return lines;
}

struct Ran {
  Trace trace;
  Numbers output;
};
Ran run(const Case& c) {
  const std::string ptx = text_of(c.file + std::string(".ptx"));
  EXPECT_TRUE(ptx.starts_with("// ")) << c.file;
  const Result<Program> program = Program::parse(ptx, c.producer->source);
  if (!program) {
    ADD_FAILURE() << c.file << ": " << sentence(program.error());
    return {};
  }
  EmulatedMemory memory;
  std::deque<HostArray> arrays;
  std::vector<ArgumentBytes> arguments;
  for (const Argument& a : c.arguments) {
    if (!a.array) {
      arguments.push_back(a.bytes);
      continue;
    }
    arrays.push_back(stored(*a.array));
    const std::string name = "array " + std::to_string(arrays.size());
    const std::uint64_t address =
        memory.add({name, name, a.array->type, a.array->shape}, arrays.back(), true);
    for (ArgumentBytes& bytes : c.producer->passed(address, *a.array))
      arguments.push_back(std::move(bytes));
  }
  for (int k = 0; k < c.producer->more_pointers; ++k)
    arguments.push_back(argument_of(std::uint64_t{0}));
  // Producers lengthen the names of their kernels.
  std::string entry;
  for (const std::string& each : program->entries()) {
    if (program->entries().size() == 1 || each == c.kernel) entry = each;
  }
  const Result<EmulatedRun> done = emulate(*program, entry, c.launch, arguments, memory, {});
  if (!done) {
    ADD_FAILURE() << c.file << ": " << sentence(done.error());
    return {};
  }
  return {done->trace, loaded(arrays.back())};
}

std::string title(const Case& c) { return std::string(c.file) + " " + c.kernel; }

TEST(ForeignPtx, ComputesWhatACpuComputes) {
  for (const Case& c : foreign_cases()) {
    if (c.expected.empty()) continue;
    SCOPED_TRACE(title(c));
    const Ran ran = run(c);
    for (const Fault& fault : ran.trace.faults) ADD_FAILURE() << fault.sentence;
    ASSERT_EQ(ran.output.size(), c.expected.size());
    int wrong = 0;
    for (std::size_t i = 0; i < c.expected.size() && wrong < 3; ++i) {
      const double bound = c.tolerance * std::max(1.0, std::fabs(c.expected[i]));
      if (!(std::fabs(ran.output[i] - c.expected[i]) <= bound)) {
        ++wrong;
        ADD_FAILURE() << "element " << i << " is " << ran.output[i] << ", not " << c.expected[i];
      }
    }
  }
}

TEST(ForeignPtx, EveryAccessHasALineOfItsKernelInTheProducersFile) {
  for (const Case& c : foreign_cases()) {
    SCOPED_TRACE(title(c));
    const Lines lines = lines_of(text_of(c.producer->source), c.kernel);
    const Ran ran = run(c);
    int inside = 0;
    for (const AccessSite& site : ran.trace.sites) {
      EXPECT_THAT(site.position.file, EndsWith(c.producer->source)) << site.text;
      // clang up to 14 does not say where a function was inlined.
      const bool own = site.position.line >= lines.first && site.position.line <= lines.last;
      EXPECT_TRUE(own || !c.producer->says_inlining) << site.text << " at " << site.position.line;
      inside += own ? 1 : 0;
    }
    EXPECT_GT(inside, 0);
  }
}

TEST(ForeignPtx, NamesAPlantedFaultOnItsLine) {
  int planted = 0;
  for (const Case& c : foreign_cases()) {
    if (!c.expected.empty()) continue;
    SCOPED_TRACE(title(c));
    ++planted;
    const Lines lines = lines_of(text_of(c.producer->source), c.kernel);
    ASSERT_GT(lines.fault, 0);
    const Ran ran = run(c);
    ASSERT_FALSE(ran.trace.faults.empty());
    // A race has two sides, and only one of them is the planted line.
    bool named = false;
    for (const Fault& fault : ran.trace.faults) {
      EXPECT_THAT(fault.position.file, EndsWith(c.producer->source));
      named = named || (fault.position.line == lines.fault &&
                        fault.sentence.find(c.fault) != std::string::npos);
    }
    EXPECT_TRUE(named) << "line " << lines.fault << ": " << ran.trace.faults.front().sentence;
  }
  EXPECT_GE(planted, 4);
}

TEST(ForeignPtx, IsOf25KernelsOfFourProducers) {
  std::set<std::string> sources;
  int right = 0;
  for (const Case& c : foreign_cases()) {
    sources.insert(c.producer->source);
    right += c.expected.empty() ? 0 : 1;
  }
  EXPECT_EQ(sources.size(), 4u);
  EXPECT_GE(right, 25);
}

}  // namespace
}  // namespace warpscope::foreign
