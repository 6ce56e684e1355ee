// profiling/engine/run/stage.cpp: a workload on the device: inputs, outputs, references, and the
// check.
#include "profiling/engine/run/stage.h"

#include <algorithm>
#include <map>
#include <utility>

#include "profiling/capture/stored_addresses.h"
#include "profiling/engine/run/reference_parts.h"
#include "profiling/points/compare_output.h"
#include "scenes/base/element_inputs.h"
#include "scenes/base/step_buffers.h"
#include "scenes/base/texts/code_id.h"

namespace warpscope {
namespace {

constexpr std::int64_t kPieceBytes = 64LL << 20;  // of an upload that never lies whole on the host
// The axes that decide how many bytes this configuration needs: "m, k or n".
std::string sizing_axes(const Scene& scene, const Configuration& axes) {
  std::vector<std::string> names;
  const std::int64_t now = scene.estimate_bytes(axes);
  for (const Axis& axis : scene.axes) {
    const Configuration defaults = default_configuration(scene.axes);
    if (!defaults.has(axis.name) || axes.at(axis.name) == defaults.at(axis.name)) continue;
    Configuration smaller = axes;
    smaller.set(axis.name, defaults.at(axis.name));
    if (scene.estimate_bytes(smaller) < now) names.push_back(axis.name);
  }
  if (names.empty()) return "the sizes";
  std::string text = names.front();
  for (std::size_t i = 1; i < names.size(); ++i)
    text += (i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

std::int64_t bytes_in(const Buffers& buffers) {
  std::int64_t sum = 0;
  for (const auto& [name, buffer] : buffers) sum += buffer.bytes();
  return sum;
}

// The arrays of the groups that were made anew, or of all; states that no group makes and that are
// not kept.
std::set<std::string> fresh_arrays(const Scene& scene, const std::vector<BufferSpec>& specs,
                                   const Buffers& kept, const std::set<std::string>& made,
                                   bool all) {
  std::set<std::string> fresh;
  for (const InputGroup& group : scene.input_groups) {
    if (all || made.contains(group.name)) fresh.insert(group.arrays.begin(), group.arrays.end());
  }
  for (const BufferSpec& spec : specs) {
    const bool orphan = spec.role == BufferRole::state && group_of(scene, spec.name) == nullptr;
    if (orphan && (all || kept.count(spec.name) == 0)) fresh.insert(spec.name);
  }
  return fresh;
}

// Compares 64 random elements of an array that was made on the device with the host's.
Result<void> spot_check_input(const Device& device, const Workload& workload,
                              const DeviceBuffer& made, const InputGroup& group,
                              const BufferSpec& array) {
  if (!group.elements) return {};
  const std::int64_t size = element_bytes(array.type);
  std::vector<std::byte> host(static_cast<std::size_t>(size)), read_back(host.size());
  for (const std::int64_t element : spot_elements(array.count)) {
    group.elements(workload, array.name, element, host);
    const CUdeviceptr at = made.address() + static_cast<CUdeviceptr>(element * size);
    if (Result<void> read = device.check(
            device.driver().cuMemcpyDtoH(read_back.data(), at, read_back.size()), "inputs");
        !read) {
      return read;
    }
    if (host != read_back) {
      return failure(
          ErrorKind::internal,
          "the inputs made on the device differ from the host's at " + element_name(array, element),
          "inputs " + group.name, "report it with this session");
    }
  }
  return {};
}

// Addresses that captured memory holds: those of the buffers here. The arrays were uploaded.
Result<void> place_stored_addresses(const Device& device, const std::vector<BufferSpec>& specs,
                                    const Buffers& buffers, const std::set<std::string>& fresh) {
  const std::map<std::string, std::string> holders = address_holders(specs);
  if (holders.empty()) return {};
  std::map<std::int64_t, std::uint64_t> addresses;
  for (const auto& [name, buffer] : buffers) addresses[address_target_of(name)] = buffer.address();
  const CudaDriver& d = device.driver();
  for (const auto& [holder, table] : holders) {
    if (fresh.count(holder) == 0) continue;
    const DeviceBuffer &to = buffers.at(holder), &from = buffers.at(table);
    std::vector<std::byte> bytes(static_cast<std::size_t>(to.bytes()));
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(from.bytes()) /
                                      sizeof(std::int64_t));
    const std::string where = "addresses in " + holder;
    if (Result<void> read = device.check(
            d.cuMemcpyDtoH(numbers.data(), from.address(), numbers.size() * sizeof(std::int64_t)),
            where);
        !read)
      return read;
    if (Result<void> read =
            device.check(d.cuMemcpyDtoH(bytes.data(), to.address(), bytes.size()), where);
        !read)
      return read;
    place_addresses(numbers, addresses, bytes);
    if (Result<void> written =
            device.check(d.cuMemcpyHtoD(to.address(), bytes.data(), bytes.size()), where);
        !written)
      return written;
  }
  return {};
}

}  // namespace

const DeviceBuffer* Stage::find(const std::string& name, const Buffers* scratch) const {
  if (scratch != nullptr) {
    if (const auto found = scratch->find(name); found != scratch->end()) return &found->second;
  }
  const auto found = buffers_.find(name);
  return found == buffers_.end() ? nullptr : &found->second;
}

Result<void> Stage::upload(const BufferSpec& spec, std::set<std::string>& fresh) {
  const std::int64_t bytes = spec.count * element_bytes(spec.type);
  auto found = buffers_.find(spec.name);
  if (found == buffers_.end() || found->second.bytes() != bytes) {
    buffers_.erase(spec.name);
    Result<DeviceBuffer> buffer = DeviceBuffer::allocate(device_, bytes);
    if (!buffer) return tl::unexpected(buffer.error());
    found = buffers_.emplace(spec.name, std::move(*buffer)).first;
    fresh.insert(spec.name);
  }
  const bool begins = spec.role == BufferRole::input || spec.role == BufferRole::state;
  if (fresh.count(spec.name) == 0 || !begins || bytes == 0) return {};
  const CudaDriver& d = device_.driver();
  const CUdeviceptr to = found->second.address();
  const std::string where = "upload of " + spec.name;
  const InputGroup* group = group_of(*scene_, spec.name);
  if (group != nullptr && group->device_steps) return {};  // made when all buffers are there
  const Inputs& arrays = inputs_.arrays();
  if (const auto array = arrays.find(spec.name); array != arrays.end()) {
    const std::span<const std::byte> from = array->second.bytes();
    if (static_cast<std::int64_t>(from.size()) != bytes) {
      return failure(ErrorKind::internal,
                     "the input has " + std::to_string(from.size()) + " bytes, its buffer " +
                         std::to_string(bytes),
                     spec.name);
    }
    return device_.check(d.cuMemcpyHtoD(to, from.data(), from.size()), where);
  }
  if (group != nullptr && group->elements) {
    return element_pieces(
        *group, workload_, spec, kPieceBytes,
        [&](std::int64_t offset, std::span<const std::byte> piece) {
          return device_.check(
              d.cuMemcpyHtoD(to + static_cast<CUdeviceptr>(offset), piece.data(), piece.size()),
              where);
        });
  }
  if (spec.role == BufferRole::state) {
    return device_.check(
        d.cuMemsetD8Async(to, 0, static_cast<std::size_t>(bytes), device_.stream()), where);
  }
  return failure(ErrorKind::internal, "no group of inputs creates it", spec.name);
}

Result<void> Stage::make_on_device(const std::set<std::string>& stale) {
  for (const InputGroup& group : scene_->input_groups) {
    if (!group.device_steps ||
        std::none_of(group.arrays.begin(), group.arrays.end(),
                     [&](const std::string& array) { return stale.count(array) != 0; })) {
      continue;
    }
    for (const Step& step : group.device_steps(workload_)) {
      Result<BoundStep> bound = BoundStep::bind(
          device_, kernels_, step, [this](const std::string& name) { return find(name, nullptr); });
      if (!bound) return tl::unexpected(bound.error());
      if (Result<void> ran = bound->run(device_.stream()); !ran) return ran;
    }
    if (Result<void> idle = device_.synchronise("inputs " + group.name); !idle) return idle;
    for (const BufferSpec& spec : specs_) {
      if (!makes(group, spec.name)) continue;
      if (Result<void> agreed =
              spot_check_input(device_, workload_, buffers_.at(spec.name), group, spec);
          !agreed)
        return agreed;
    }
  }
  return {};
}

Result<void> Stage::keep_states(const std::set<std::string>& stale) {
  for (const BufferSpec& spec : specs_) {
    if (spec.role != BufferRole::state || stale.count(spec.name) == 0) continue;
    const DeviceBuffer& from = buffers_.at(spec.name);
    auto kept = kept_.find(spec.name);
    if (kept == kept_.end() || kept->second.bytes() != from.bytes()) {
      kept_.erase(spec.name);
      Result<DeviceBuffer> buffer = DeviceBuffer::allocate(device_, from.bytes());
      if (!buffer) return tl::unexpected(buffer.error());
      kept = kept_.emplace(spec.name, std::move(*buffer)).first;
    }
    if (from.bytes() == 0) continue;
    const Result<void> copied =
        device_.check(device_.driver().cuMemcpyDtoDAsync(kept->second.address(), from.address(),
                                                         static_cast<std::size_t>(from.bytes()),
                                                         device_.stream()),
                      "keeping " + spec.name);
    if (!copied) return copied;
  }
  return {};
}

Result<void> Stage::upload_all(std::set<std::string>& fresh) {
  if (Result<void> idle = device_.synchronise("before upload"); !idle) return idle;
  for (const BufferSpec& spec : specs_) {
    if (Result<void> done = upload(spec, fresh); !done) return done;
    if (spec.role != BufferRole::output) continue;
    for (const char* part : kReferenceParts) {
      BufferSpec reference = spec;
      reference.name += part;
      reference.type = ElementType::f64;
      if (Result<void> done = upload(reference, fresh); !done) return done;
    }
  }
  // What was copied from the host may still be under way when the call returns, and our stream does
  // not wait for the one it goes through. source: CUDA Driver API, "API synchronization behavior".
  return device_.check(device_.driver().cuCtxSynchronize(), "upload");
}

std::optional<Workload> Stage::make_inputs(const Scene& scene, const Configuration& axes) {
  if (holds(scene, axes)) return workload_;
  const std::int64_t more = scene.estimate_bytes(axes) - bytes_in(buffers_);
  if (!device_.fits(more, "this configuration") || !inputs_.make(scene, axes)) return std::nullopt;
  return Workload{axes, inputs_.facts()};
}

Result<void> Stage::set(const Scene& scene, const Configuration& axes) {
  if (scene_ != &scene) {
    scene_ = &scene;
    axes_.reset();
    buffers_.clear();
    kept_.clear();
    noted_inputs_.clear();
    suspect_ = false;
  }
  if (holds(scene, axes)) return {};
  if (Result<void> admitted = scene.admit(axes); !admitted) return admitted;
  // What is held now is freed or reused: it counts as room.
  if (Result<void> fits =
          device_.fits(scene.estimate_bytes(axes) - bytes_in(buffers_), "this configuration");
      !fits) {
    Error error = fits.error();
    error.remedy = "lower " + sizing_axes(scene, axes);
    return tl::unexpected(error);
  }
  const std::optional<Configuration> before = std::exchange(axes_, std::nullopt);
  if (Result<void> made = inputs_.make(scene, axes); !made) return made;
  const std::set<std::string> made = inputs_.take_made();
  workload_ = {axes, inputs_.facts()};
  specs_ = scene.buffers(workload_);
  // A variant's own axes change no reference.
  const bool same_problem =
      before && problem_key(scene.axes, *before) == problem_key(scene.axes, axes);
  if (!same_problem || !made.empty()) {
    reference_.clear();
    reported_.clear();
  }
  // Without a configuration before, nothing says what the device has.
  const bool all = std::exchange(suspect_, false) || !before;
  std::set<std::string> fresh = fresh_arrays(scene, specs_, kept_, made, all);
  if (scene.nothing_to_do && scene.nothing_to_do(workload_)) {
    axes_ = axes;
    return {};
  }
  noted_inputs_.clear();
  if (Result<void> done = upload_all(fresh); !done) return done;
  if (Result<void> done =
          make_on_device(fresh)
              .and_then([&] { return place_stored_addresses(device_, specs_, buffers_, fresh); })
              .and_then([&] { return keep_states(fresh); });
      !done)
    return done;
  axes_ = axes;
  return device_.synchronise("upload");
}

bool Stage::Bound::on_host() const {
  return std::any_of(run.begin(), run.end(), [](const BoundStep& s) { return s.is_on_host(); });
}

Result<void> Stage::Bound::run_steps(CUstream stream) const {
  for (const BoundStep& step : run) {
    if (Result<void> ran = step.run(stream); !ran) return ran;
  }
  return {};
}

Result<void> run_before(Stage& stage, const Stage::Bound& bound, std::size_t step,
                        CUstream stream) {
  Result<void> done = stage.restore_states(bound);
  for (std::size_t earlier = 0; earlier < step && done; ++earlier)
    done = bound.run[earlier].run(stream);
  return done;
}

Result<void> Stage::Bound::submit(CUstream stream) const {
  return graph != nullptr ? graph->launch(stream) : run_steps(stream);
}

Result<Stage::Bound> Stage::bind(const Variant& variant) {
  Bound bound;
  bound.scratch = std::make_shared<Buffers>();
  std::int64_t bytes = 0;
  const std::vector<BufferSpec> scratch =
      variant.scratch ? variant.scratch(workload_) : std::vector<BufferSpec>{};
  for (const BufferSpec& spec : scratch) bytes += spec.count * element_bytes(spec.type);
  if (Result<void> fits = device_.fits(bytes, "the scratch of " + variant.label); !fits) {
    return tl::unexpected(fits.error());
  }
  for (const BufferSpec& spec : scratch) {
    Result<DeviceBuffer> buffer =
        DeviceBuffer::allocate(device_, spec.count * element_bytes(spec.type));
    if (!buffer) return tl::unexpected(buffer.error());
    bound.scratch->emplace(spec.name, std::move(*buffer));
  }
  const std::vector<Step> steps = variant.steps(workload_);
  std::vector<BufferSpec> all = specs_;
  for (BufferSpec spec : scratch) {
    spec.role = BufferRole::scratch;
    all.push_back(std::move(spec));
  }
  Result<HostSide> host = host_side_of(steps, all);
  if (!host) return tl::unexpected(host.error());
  bound.left_on_host = std::move(host->left_on_host);
  bound.mirrors = std::make_shared<HostMirrors>();
  for (const BufferSpec& spec : all) {
    if (host->mirrors.count(spec.name) == 0) continue;
    Result<HostMirror> mirror =
        HostMirror::allocate(device_, spec.count * element_bytes(spec.type));
    if (!mirror) return tl::unexpected(mirror.error());
    const std::span<std::byte> bytes = mirror->bytes();
    std::fill(bytes.begin(), bytes.end(), std::byte{0xFF});
    if (spec.role == BufferRole::input && !bytes.empty()) {
      const Result<void> read =
          device_.check(device_.driver().cuMemcpyDtoH(
                            bytes.data(), buffers_.at(spec.name).address(), bytes.size()),
                        "mirror of " + spec.name);
      if (!read) return tl::unexpected(read.error());
    }
    bound.mirrors->emplace(spec.name, std::move(*mirror));
  }
  if (variant.submission) bound.submission = variant.submission(workload_.axes);
  const Buffers* own = bound.scratch.get();
  for (const Step& step : steps) {
    Result<BoundStep> made = BoundStep::bind(
        device_, kernels_, step, [this, own](const std::string& name) { return find(name, own); },
        bound.mirrors.get());
    if (!made) return tl::unexpected(made.error());
    (step.phase == Phase::prepare ? bound.prepare : bound.run).push_back(std::move(*made));
  }
  return bound;
}

std::int64_t Stage::array_bytes() const {
  std::int64_t bytes = 0;
  for (const BufferSpec& spec : specs_) bytes += spec.count * element_bytes(spec.type);
  return bytes;
}

std::string Stage::code_id(const Variant& variant) const {
  const auto id = warpscope::code_id(variant.steps(workload_), kernels_.sources(), library_version);
  return id ? id->value_or("") : "";
}

Result<void> Stage::restore_states(const Bound& bound) {
  const CudaDriver& d = device_.driver();
  for (const BufferSpec& spec : specs_) {
    if (spec.role != BufferRole::state) continue;
    const DeviceBuffer &from = kept_.at(spec.name), &to = buffers_.at(spec.name);
    if (from.bytes() == 0) continue;
    const Result<void> copied =
        device_.check(d.cuMemcpyDtoDAsync(to.address(), from.address(),
                                          static_cast<std::size_t>(from.bytes()), device_.stream()),
                      "restoring " + spec.name);
    if (!copied) return copied;
    const auto mirror = bound.mirrors->find(spec.name);
    if (mirror == bound.mirrors->end()) continue;
    const std::span<std::byte> bytes = mirror->second.bytes();
    const Result<void> read = device_.synchronise("restoring " + spec.name).and_then([&] {
      return device_.check(d.cuMemcpyDtoH(bytes.data(), from.address(), bytes.size()),
                           "restoring " + spec.name);
    });
    if (!read) return read;
  }
  return {};
}

Result<void> Stage::poison_outputs(const Bound& bound) {
  for (const BufferSpec& spec : specs_) {
    if (spec.role != BufferRole::output) continue;
    const DeviceBuffer& buffer = buffers_.at(spec.name);
    const Result<void> done = device_.check(
        device_.driver().cuMemsetD8Async(
            buffer.address(), 0xFF, static_cast<std::size_t>(buffer.bytes()), device_.stream()),
        "poison " + spec.name);
    if (!done) return done;
    if (const auto mirror = bound.mirrors->find(spec.name); mirror != bound.mirrors->end()) {
      const std::span<std::byte> bytes = mirror->second.bytes();
      std::fill(bytes.begin(), bytes.end(), std::byte{0xFF});
    }
  }
  return {};
}

}  // namespace warpscope
