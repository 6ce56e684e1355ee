// scenes/base/step.h: the work of a variant as a list of steps: kernels, memsets, copies, library
// calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scenes/base/array.h"
#include "scenes/host/result.h"

// Steps are plain values made for one workload; the engine gives each its own NVTX range, time and
// counters. A step names its buffers; it never holds an address.

namespace warpscope {

struct Dim3 {
  std::int64_t x = 1, y = 1, z = 1;
  bool operator==(const Dim3&) const = default;
};

struct Launch {
  Dim3 grid, block;
  std::int64_t dynamic_shared_bytes = 0;
  Dim3 cluster;  // 1×1×1: no cluster
  // All blocks are on the device at once, so that they may wait for each other (grid.sync()).
  bool cooperative = false;
};

struct BufferArgument {
  std::string buffer;  // name of a BufferSpec
  std::int64_t offset_bytes = 0;
};
// How a box's rows lie in shared memory: `none`, as they are; else a row is as many bytes, and its
// pieces of 16 bytes change places by the row's number, so that columns lie in different banks:
// bits 4 to 6 of an address are turned by bits 7 to 9, of 32 bytes one bit, of 64 two, of 128 all
// three. The box begins at a multiple of 8 such rows. Named as CUtensorMapSwizzle counts them.
// source: PTX ISA, "Swizzling modes".
enum class TensorSwizzle : std::uint8_t { none, bytes_32, bytes_64, bytes_128 };
std::int64_t row_bytes(TensorSwizzle swizzle);  // 32, 64 or 128; of none 0

// A tensor in a buffer and the box of it that one bulk tensor copy moves: the kernel's parameter is
// `const __grid_constant__ TensorMap map` of kernels/tensor_copy.cuh, 128 bytes aligned to 64.
// Dimensions are innermost first. Elements of a box that lie outside the tensor arrive as zeros; a
// box is dense in shared memory, its rows one after the other.
// source: CUDA Driver API, cuTensorMapEncodeTiled, with interleave none, element strides of one and
// out-of-bounds fill zero; it names the limits below.
struct TensorMapArgument {
  std::string buffer;  // name of a BufferSpec
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> extents;  // elements of each of 1 to 5 dimensions, each 1 … 2^32
  // From one element to the next of each dimension after the first: one fewer than extents,
  // multiples of 16 below 2^40.
  std::vector<std::int64_t> strides_bytes;
  std::vector<std::int64_t> box;  // elements of each dimension, 1 … 256; box[0] fills 16-byte steps
  // Only for a box whose rows have exactly the swizzle's length. The driver takes shorter rows too,
  // but it is not documented how they lie.
  TensorSwizzle swizzle = TensorSwizzle::none;
  std::int64_t offset_bytes = 0;  // from the buffer's first byte to the tensor: a multiple of 16
  // What L2 fetches at least when it misses: 0 (as asked for), 64, 128 or 256.
  std::int64_t fetched_bytes = 256;
};
// Succeeds if the map keeps those limits and its tensor lies inside a buffer of `buffer_bytes`.
// error: usage, with the rule that is broken.
Result<void> tensor_map_is_legal(const TensorMapArgument& map, std::int64_t buffer_bytes);

// A structure by value: its bytes as they lie in memory. Those of an address are put in where the
// buffers are known.
struct RecordArgument {
  std::vector<std::byte> bytes;
  std::vector<std::pair<std::size_t, BufferArgument>> addresses;  // and the byte each begins at
  // Tensor maps among them, likewise: each has 128 bytes.
  std::vector<std::pair<std::size_t, TensorMapArgument>> maps = {};
};

// A kernel argument, in the order of the kernel's parameters and of exactly their size.
using Argument = std::variant<BufferArgument, TensorMapArgument, RecordArgument, std::int32_t,
                              std::int64_t, std::uint32_t, std::uint64_t, float, double>;

struct KernelLaunch {
  std::string source;  // path below kernels/: "csrmm/warp_row.cu"
  std::string entry;   // extern "C" name: "warp_row"; of a person's own text also a C++ name
  // Compile-time constants, passed as -DNAME=VALUE: {"UNROLL", "4"}.
  std::vector<std::pair<std::string, std::string>> defines;
  Launch launch;
  std::vector<Argument> arguments;
  // Compiled for one architecture with what only that has (sm_90a: wgmma), not for its family.
  bool architecture_features = false;
  // How much work a block has, in any unit, as far as the inputs say (the entries of its rows): by
  // it the emulator chooses the blocks that stand for a grid too large to run. No figure is made of
  // it, and a wrong one makes intervals wider, never false. Null: blocks are chosen by position.
  std::function<double(const Inputs& inputs, const Dim3& block)> block_work = {};
  // In a person's own text: the instances of templates that launches of it name ("norm<float>").
  // All launches and copies of one text name the same ones, so that they share its variables.
  std::vector<std::string> instances = {};
  // A person's own text: it may have host code, and include what only nvcc finds.
  bool any_text = false;
};

// Bytes of a buffer from an offset on.
struct BufferPart {
  std::int64_t offset_bytes = 0;
  std::int64_t bytes = -1;  // −1: to its end
};

struct Memset {
  std::string buffer;
  std::uint8_t value = 0;  // every byte of the part
  BufferPart part = {};
};

struct DeviceCopy {
  std::string from, to;
  BufferPart from_part = {}, to_part = {};  // of equal size; whole buffers unless they say else
};

// A copy of a buffer's part to the beginning of a constant array: `__constant__ float weights[N]`
// of a kernel's text, outside of any function, as launches of the same text, defines and
// architecture see it from then on. The array holds 64 KB at most, those of a text together.
// source: CUDA C++ Programming Guide, technical specifications per compute capability.
struct ConstantCopy {
  std::string source;  // of those launches: "autoencoder/constant_weights.cu"
  std::vector<std::pair<std::string, std::string>> defines;
  std::string symbol;  // "weights"
  std::string from;
  BufferPart part = {};  // at most the array
  bool architecture_features = false;
  std::vector<std::string> instances = {};  // as of the launches
  bool any_text = false;                    // as of those launches
};

// A copy between a buffer and its mirror in page-locked memory of the host, which a host step sees.
struct HostCopy {
  enum class Direction { to_host, to_device };
  std::string buffer;
  Direction direction = Direction::to_host;
  BufferPart part = {};
};

// The bytes of buffers as a function on the host sees them, by name.
using HostBuffers = std::map<std::string, std::span<std::byte>>;

// What a step computes, on the host: the whole of a host step; for a library call, what it would
// write to its outputs, so that later steps can be emulated. error: input, resource.
struct HostFunction {
  std::vector<std::string> reads, writes;  // names of buffers; others are not there
  std::function<Result<void>(HostBuffers&)> compute;
};

// A step on the host: timed by the host's clock, never batched.
struct HostStep {
  HostFunction function;
  std::string sentence;  // compiler flags and threads: "-O3, one thread"
};

// A call into a vendor library, implemented by the engine under its name.
struct LibraryCall {
  std::string name;                            // "cusparse.spmm.csr_alg3"
  std::map<std::string, std::string> buffers;  // operand → buffer: {"indptr", "indptr"}, {"B", "b"}
  std::map<std::string, double> numbers;       // sizes and switches: {"m", 10000}, {"transpose", 1}
  // What it computes, for emulating later steps. Null: those cannot be emulated.
  std::shared_ptr<const HostFunction> on_host = {};
};

// What stands in for the input of a step that is traced alone, or of sampled blocks, where only
// addresses matter. It is said beside the diagram.
struct StandIn {
  std::string buffer;
  std::string sentence;  // "activations are random numbers: they change no address"
  std::function<void(std::span<std::byte>)> fill;
};

// `prepare` runs once per input and is timed apart (format conversion, algorithm search, plans);
// `run` is what a call costs.
enum class Phase { prepare, run };

struct Step {
  std::string name;  // "clear C": its NVTX range is "<variant>/<name>"
  Phase phase = Phase::run;
  std::variant<KernelLaunch, Memset, DeviceCopy, LibraryCall, HostCopy, HostStep, ConstantCopy>
      action;
  std::map<std::string, std::string> tags = {};  // {"layer", "Conv1"}, {"phase", "backward"}
  std::vector<StandIn> stand_ins = {};
  // What this step alone must cost, by the id of a work term: {"model.flops", 9.7e9}. A term that
  // is not here is not known of the step.
  std::map<std::string, double> work = {};
  // For a graph with two branches: a step aside waits for all earlier steps. Among the later ones,
  // only steps aside, a step that joins, and the graph's end wait for it. On a stream all steps run
  // in their order, which must give the same result. Both belong to `run`.
  bool aside = false, joins = false;
};
// Whether a graph of the steps has a second branch.
bool has_branches(const std::vector<Step>& steps);

// How the steps of a run reach the device: one after the other on a stream, or as one CUDA graph,
// whose capture belongs to `prepare`: a chain, unless steps of it are aside.
enum class Submission { stream, graph };
const char* to_text(Submission submission);  // "graph"

}  // namespace warpscope
