// profiling/capture/injected/taken_launch.cpp: one launch of the program, saved before and after it
// is made.
#include "profiling/capture/injected/taken_launch.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "profiling/binaries/cubin.h"
#include "profiling/capture/injected/limited_calls.h"
#include "profiling/capture/injected/reach.h"
#include "profiling/capture/selection.h"
#include "profiling/capture/writer.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kPieceBytes = 8 << 20;
// Memory that arguments and stored pointers reach: half of what a scene takes.
constexpr std::uint64_t kMostFollowedBytes = 64 << 20;

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits;
  }
  return text;
}

void describe_device(const CaptureDriver& driver, Capture& capture) {
  CUdevice device = 0;
  if (driver.cuCtxGetDevice(&device) != CUDA_SUCCESS) return;
  char name[256] = "";
  if (driver.cuDeviceGetName(name, sizeof name, device) == CUDA_SUCCESS) capture.device = name;
  CUuuid uuid{};
  if (driver.cuDeviceGetUuid(&uuid, device) == CUDA_SUCCESS) capture.device_uuid = uuid_text(uuid);
  int major = 0, minor = 0;
  driver.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  driver.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  capture.compute_capability = 10 * major + minor;
  driver.cuDriverGetVersion(&capture.driver);
}

tl::unexpected<Error> given_up() {
  return failure(ErrorKind::usage, "it was cancelled before it was saved");
}

}  // namespace

// source: NCCL, src/device/common.h: ncclDevKernel_…, ncclSymDevKernel_…, before 2.19 ncclKernel_….
bool waits_for_other_gpus(std::string_view symbol) {
  const std::size_t library = symbol.find("nccl");
  return library != std::string_view::npos &&
         symbol.substr(library).find("Kernel_") != std::string_view::npos;
}

struct TakenLaunch::State {
  const CaptureDriver* driver = nullptr;
  CaptureSettings settings;
  Capture capture;
  CaptureWriter writer;
  SaveProgress progress;
  std::uint64_t saved_bytes = 0;
  LimitedCalls calls;

  bool goes_on() const {
    const auto both = 2 * static_cast<std::uint64_t>(memory_bytes(capture));
    return !progress || progress(saved_bytes, settings.data ? both : 0);
  }
  Result<void> save_memory(CaptureWriter::Side side);
  Result<void> save_code(const LoadedCode& code, const SeenLaunch& launch);
  Result<void> find_variables(std::string_view cubin, CUfunction function);
};

// Adds the module's variables to the memory, as far as the budget goes.
Result<void> TakenLaunch::State::find_variables(std::string_view cubin, CUfunction function) {
  CUmodule module = nullptr;
  const bool has_module = driver->cuFuncGetModule(&module, function) == CUDA_SUCCESS;
  std::uint64_t total = static_cast<std::uint64_t>(memory_bytes(capture));
  for (const std::string& name : variable_symbols(cubin)) {
    if (name.starts_with('$') || name.starts_with('.')) continue;  // the compiler's own
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    if (!has_module ||
        driver->cuModuleGetGlobal(&address, &bytes, module, name.c_str()) != CUDA_SUCCESS ||
        bytes == 0) {
      capture.notes.push_back("the variable " + name +
                              " of its module was not kept: the driver "
                              "does not say where it is");
      continue;
    }
    total += bytes;
    if (total > settings.budget_bytes)
      return failure(ErrorKind::resource,
                     "its arguments and the variables of its module have more than the budget of " +
                         bytes_text(settings.budget_bytes),
                     "", "raise --budget, or use --no-data");
    capture.memory.push_back({CapturedMemory::Kind::variable, address, bytes, name});
  }
  return {};
}

Result<void> TakenLaunch::State::save_code(const LoadedCode& code, const SeenLaunch& launch) {
  const std::string image = code.image_of(*driver, launch.function);
  // Several modules may have a kernel of this name, as when Triton tries variants: a module that
  // was loaded from machine code is that one.
  const bool own = is_cubin(image);
  const FoundCode loaded = code.cubin_of(*driver, launch.function, launch.symbol);
  const std::string_view cubin = own ? std::string_view(image) : loaded.bytes;
  if (!own && loaded.others > 0)
    capture.notes.push_back(std::to_string(loaded.others + 1) +
                            " modules that were loaded have a kernel of this name; the code of the "
                            "last one is kept");
  if (cubin.empty() && image.empty())
    return failure(ErrorKind::environment, "the kernel's code was not seen when it was loaded", "",
                   "start the program by `warpscope capture`");
  const CUfunction function = real_function(*driver, launch.function);
  if (Result<void> found = find_variables(cubin, function); !found) return found;
  if (cubin.empty() && may_have_variables(image))
    capture.notes.push_back(
        "variables of its module, if there are any, were not kept: its machine code was not seen, "
        "as "
        "another tool uses CUPTI");
  if (!cubin.empty()) {
    if (Result<void> put = writer.write_section("CODE", cubin); !put) return put;
  }
  if (image.empty() || own) return {};
  return writer.write_section("IMAG", image);
}

Result<void> TakenLaunch::State::save_memory(CaptureWriter::Side side) {
  if (!settings.data) return {};
  std::string piece;
  const auto reached = static_cast<std::uint64_t>(memory_bytes(capture));
  const std::uint64_t most = std::min(kMostFollowedBytes, settings.budget_bytes);
  StoredPointers pointers(*driver, reached < most ? most - reached : 0);
  for (std::size_t i = 0; i < capture.memory.size(); ++i) {
    const CapturedMemory memory = capture.memory[i];  // the list grows
    for (std::uint64_t at = 0; at < memory.bytes; at += kPieceBytes) {
      piece.resize(static_cast<std::size_t>(std::min(kPieceBytes, memory.bytes - at)));
      Result<void> read = calls.read(memory.address + at, piece, [this] { return goes_on(); });
      if (!read) return read;
      if (side == CaptureWriter::Side::before) pointers.follow(piece, capture.memory);
      if (Result<void> added = writer.add_memory(i, side, piece); !added) return added;
      saved_bytes += piece.size();
      if (!goes_on()) return given_up();
    }
  }
  for (std::string& note : pointers.notes()) capture.notes.push_back(std::move(note));
  return {};
}

TakenLaunch::TakenLaunch(std::unique_ptr<State> state) : state_(std::move(state)) {}
TakenLaunch::TakenLaunch(TakenLaunch&&) noexcept = default;
TakenLaunch& TakenLaunch::operator=(TakenLaunch&&) noexcept = default;
TakenLaunch::~TakenLaunch() = default;

Result<TakenLaunch> TakenLaunch::begin(const CaptureDriver& driver, const ProgramParts& parts,
                                       const CaptureSettings& settings, const SeenLaunch& launch,
                                       const LaunchPlace& place) {
  if (waits_for_other_gpus(launch.symbol))
    return failure(ErrorKind::input,
                   "it waits for kernels of other GPUs (NCCL), which a replay does not have", "",
                   "choose another kernel");
  CUstreamCaptureStatus recording = CU_STREAM_CAPTURE_STATUS_NONE;
  if (driver.cuStreamIsCapturing(launch.stream, &recording) == CUDA_SUCCESS &&
      recording != CU_STREAM_CAPTURE_STATUS_NONE)
    return failure(ErrorKind::input, "it is recorded into a CUDA graph, not run", "",
                   "run the program without graphs to capture this kernel");
  const RelaxedRecording relaxed(driver);
  LimitedCalls calls(driver, settings.limit_s);
  const auto waits_on = [&place] { return !place.progress || place.progress(0, 0); };
  if (Result<void> idle = calls.wait_for_device(waits_on); !idle)
    return tl::unexpected(idle.error());
  Result<PassedParameters> parameters = parameters_of(driver, launch);
  if (!parameters) return tl::unexpected(parameters.error());
  CaptureSettings own = settings;
  if (!own.data) own.budget_bytes = kMostCapturedBytes;
  Result<Reach> reach = reach_of(driver, parameters->all, own.budget_bytes);
  if (!reach) return tl::unexpected(reach.error());
  Result<CaptureWriter> writer = CaptureWriter::create(place.file);
  if (!writer) return tl::unexpected(writer.error());

  auto state = std::make_unique<State>(
      State{&driver, own, {}, std::move(*writer), place.progress, 0, std::move(calls)});
  Capture& capture = state->capture;
  capture.process = ::getpid();
  capture.symbol = launch.symbol;
  capture.name = demangled_name(launch.symbol);
  capture.number = place.number;
  capture.launch = launch.launch;
  capture.range = place.range;
  capture.data = settings.data;
  capture.tensor_maps = parts.maps.among(parameters->all);
  capture.parameters = std::move(parameters->all);
  capture.memory = std::move(reach->memory);
  capture.pointers = std::move(reach->pointers);
  capture.notes = std::move(parameters->notes);
  capture.notes.insert(capture.notes.end(), reach->notes.begin(), reach->notes.end());
  describe_device(driver, capture);
  if (Result<void> saved = state->save_code(parts.code, launch); !saved)
    return tl::unexpected(saved.error());
  if (Result<void> saved = state->save_memory(CaptureWriter::Side::before); !saved)
    return tl::unexpected(saved.error());
  return TakenLaunch(std::move(state));
}

Result<std::uint64_t> TakenLaunch::end() {
  State& state = *state_;
  const RelaxedRecording relaxed(*state.driver);
  Result<void> idle = state.calls.wait_for_device([&state] { return state.goes_on(); });
  if (!idle) return tl::unexpected(idle.error());
  if (Result<void> saved = state.save_memory(CaptureWriter::Side::after); !saved)
    return tl::unexpected(saved.error());
  if (Result<void> done = state.writer.finish(state.capture); !done)
    return tl::unexpected(done.error());
  return state.writer.bytes();
}

}  // namespace warpscope
