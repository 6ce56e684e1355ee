// tests/emulator/csrmm_test.cpp: every kernel of the scene csrmm, emulated, gives the reference.
#include <algorithm>
#include <limits>
#include <map>

#include "profiling/emulator/state/tensor_map.h"
#include "profiling/points/compare_output.h"
#include "scenes/catalogue.h"
#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

// Runs the steps of a variant in emulated memory; the number of kernels, −1: it needs a library.
int run_steps(const std::vector<Step>& steps, const std::map<std::string, std::uint64_t>& addresses,
              std::map<std::string, HostArray>& arrays, EmulatedMemory& memory,
              std::string& faults) {
  int kernels = 0;
  for (const Step& step : steps) {
    if (const auto* clear = std::get_if<Memset>(&step.action)) {
      std::ranges::fill(arrays.at(clear->buffer).bytes(), std::byte{clear->value});
      memory.set_initialised(addresses.at(clear->buffer), true);
    } else if (const auto* copy = std::get_if<DeviceCopy>(&step.action)) {
      std::ranges::copy(arrays.at(copy->from).bytes(), arrays.at(copy->to).bytes().begin());
      memory.set_initialised(addresses.at(copy->to), true);
    } else if (const auto* launch = std::get_if<KernelLaunch>(&step.action)) {
      const Result<CompiledPtx> compiled = compile_to_ptx({launch->source, launch->defines, 90});
      if (!compiled) {
        ADD_FAILURE() << sentence(compiled.error());
        return kernels;
      }
      const Result<Program> program = Program::parse(compiled->ptx, launch->source);
      if (!program) {
        ADD_FAILURE() << sentence(program.error());
        return kernels;
      }
      std::vector<ArgumentBytes> arguments;
      for (const Argument& argument : launch->arguments) {
        if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
          arguments.push_back(argument_of(addresses.at(buffer->buffer) +
                                          static_cast<std::uint64_t>(buffer->offset_bytes)));
        } else if (const auto* map = std::get_if<TensorMapArgument>(&argument)) {
          const auto encoded =
              emulated_tensor_map(*map, addresses.at(map->buffer),
                                  static_cast<std::int64_t>(arrays.at(map->buffer).bytes().size()));
          if (!encoded) {
            ADD_FAILURE() << sentence(encoded.error());
            return kernels;
          }
          arguments.push_back(argument_of(*encoded));
        } else {
          std::visit(
              [&](const auto& value) {
                if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
                  arguments.push_back(argument_of(value));
                }
              },
              argument);
        }
      }
      const Result<EmulatedRun> run =
          emulate(*program, launch->entry, launch->launch, arguments, memory, {});
      if (!run) {
        ADD_FAILURE() << sentence(run.error());
        return kernels;
      }
      faults += faults_text(run->trace);
      ++kernels;
    } else {
      return -1;
    }
  }
  return kernels;
}

const Scene* csrmm() {
  for (const Scene& s : built_in_catalogue().scenes()) {
    if (s.name == "csrmm") return &s;
  }
  return nullptr;
}

// Runs every variant that needs no library and compares its output with its own reference. Returns
// how many there were.
int check_every_variant(const Scene& scene, const Workload& w, const Inputs& inputs) {
  int checked = 0;
  for (const Variant& variant : scene.variants) {
    SCOPED_TRACE(variant.name);
    if (!applies(variant, w.axes) || unavailable(variant, w, DeviceLimits{})) continue;
    std::vector<BufferSpec> specs = scene.buffers(w);
    if (variant.scratch) {
      for (BufferSpec& spec : variant.scratch(w)) specs.push_back(std::move(spec));
    }
    std::map<std::string, HostArray> arrays;
    std::map<std::string, std::uint64_t> addresses;
    EmulatedMemory memory;
    for (const BufferSpec& spec : specs) {
      const auto given = inputs.find(spec.name);
      HostArray& array = arrays[spec.name] =
          given != inputs.end() ? given->second : HostArray(spec.type, spec.count);
      if (given == inputs.end()) std::ranges::fill(array.bytes(), std::byte{0xff});
      addresses[spec.name] = memory.add({spec.name, spec.symbol, spec.type, spec.shape},
                                        array.bytes(), given != inputs.end());
    }
    std::string faults;
    if (run_steps(variant.steps(w), addresses, arrays, memory, faults) <= 0) continue;
    EXPECT_EQ(faults, "");
    const std::span<const float> c = arrays.at("c").as<float>();
    std::vector<std::int64_t> elements(c.size());
    for (std::size_t e = 0; e < elements.size(); ++e) elements[e] = static_cast<std::int64_t>(e);
    std::vector<ReferenceValue> values(elements.size());
    find_reference(scene, variant.reference)->host(w, inputs, "c", elements, values);
    OutputComparison comparison;
    compare_elements(c, values, variant.tolerance, 0, comparison);
    EXPECT_EQ(comparison.mismatches, 0) << "of " << values.size();
    ++checked;
  }
  return checked;
}

class Csrmm : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const Result<std::string> version = nvrtc_version(); !version) {
      GTEST_SKIP() << sentence(version.error());
    }
    ASSERT_NE(csrmm(), nullptr);
  }
  void make(const std::map<std::string, std::string>& changes) {
    const Result<Configuration> axes =
        with_values(csrmm()->axes, with_defaults(csrmm()->axes, {}), changes);
    ASSERT_TRUE(axes) << sentence(axes.error());
    ASSERT_TRUE(regenerate_inputs(*csrmm(), nullptr, *axes, inputs_, w_.facts));
    w_.axes = *axes;
  }
  Inputs inputs_;
  Workload w_;
};

TEST_F(Csrmm, EveryVariantOfOurOwnGivesTheReferenceWithoutAFault) {
  make({{"m", "60"}, {"k", "90"}, {"n", "72"}, {"p", "0.15"}});
  EXPECT_GE(check_every_variant(*csrmm(), w_, inputs_), 6);
}

// A product of Inf and a zero of B is NaN in one class of variants and no term in the other.
TEST_F(Csrmm, WeightsThatAreNotFiniteReachWhatTheClassOfAVariantSays) {
  for (const char* op : {"NT", "T"}) {
    make({{"m", "60"}, {"k", "90"}, {"n", "72"}, {"p", "0.15"}, {"op", op}});
    const std::span<float> weights = inputs_.at("weights").as<float>();
    weights[0] = std::numeric_limits<float>::infinity();
    weights[weights.size() / 2] = -std::numeric_limits<float>::infinity();
    weights[weights.size() - 1] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_GE(check_every_variant(*csrmm(), w_, inputs_), 4) << op;
  }
}

}  // namespace
}  // namespace warpscope

#endif
