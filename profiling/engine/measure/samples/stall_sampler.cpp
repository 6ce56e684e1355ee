// profiling/engine/measure/samples/stall_sampler.cpp: where warps of a kernel wait, by CUPTI's
// program counter sampling.
#include "profiling/engine/measure/samples/stall_sampler.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>

#include "profiling/binaries/cubin.h"
#include "profiling/binaries/elf.h"
#include "scenes/host/clock.h"

namespace warpscope {
namespace {

// Records for so many instructions at a time; further ones are read in the next turn.
constexpr std::size_t kMostRecords = 4096;
// Enough for shares within a tenth of a percent of a kernel's samples.
constexpr std::int64_t kEnoughSamples = 200'000;
constexpr double kLongestMs = 500;
constexpr int kMostRanges = 64, kMostRunsOfRange = 64;

// CUPTI's parameters have their size and the context first.
template <typename Params>
Params params_of(CUcontext context, std::size_t size) {
  Params params{};
  params.size = size;
  params.ctx = context;
  return params;
}

void prepare_records(std::vector<CUpti_PCSamplingPCData>& records,
                     std::vector<CUpti_PCSamplingStallReason>& counts, std::size_t reasons,
                     CUpti_PCSamplingData& data) {
  records.assign(kMostRecords, {});
  counts.assign(kMostRecords * reasons, {});
  for (std::size_t k = 0; k < records.size(); ++k) {
    records[k].size = sizeof records[k];
    records[k].stallReason = counts.data() + k * reasons;
  }
  data = {};
  data.size = sizeof data;
  data.collectNumPcs = records.size();
  data.pPcData = records.data();
}

CUpti_PCSamplingConfigurationInfo attribute(CUpti_PCSamplingConfigurationAttributeType type) {
  CUpti_PCSamplingConfigurationInfo info{};
  info.attributeType = type;
  return info;
}

}  // namespace

Result<std::unique_ptr<StallSampler>> StallSampler::create(CUcontext context) {
  Result<const CuptiLibrary*> cupti = load_cupti();
  if (!cupti) return tl::unexpected(cupti.error());
  if (!(*cupti)->lacking_sampling.empty()) {
    return failure(ErrorKind::environment, "libcupti lacks " + (*cupti)->lacking_sampling, "cupti",
                   "install the CUPTI of CUDA Toolkit 13");
  }
  std::unique_ptr<StallSampler> sampler(new StallSampler(**cupti, context));
  auto enable = params_of<CUpti_PCSamplingEnableParams>(context, CUpti_PCSamplingEnableParamsSize);
  return check(**cupti, (*cupti)->cuptiPCSamplingEnable(&enable), "cuptiPCSamplingEnable").map([&] {
    sampler->enabled_ = true;
    return std::move(sampler);
  });
}

StallSampler::~StallSampler() {
  if (!enabled_) return;
  auto disable =
      params_of<CUpti_PCSamplingDisableParams>(context_, CUpti_PCSamplingDisableParamsSize);
  static_cast<void>(cupti_.cuptiPCSamplingDisable(&disable));
}

Result<StallSamples> StallSampler::collect(const Kernel& kernel, const Runs& runs) {
  if (!kernel.cubin || kernel.cubin->empty())
    return failure(ErrorKind::internal, "the kernel came without its machine code", kernel.symbol);
  return sampled_runs(kernel, runs);
}

Result<StallSamples> StallSampler::sampled_runs(const Kernel& kernel, const Runs& runs) {
  const Result<ReasonNames> names = reasons();
  if (!names) return tl::unexpected(names.error());
  const Result<std::uint64_t> crc = crc_of(*kernel.cubin);
  if (!crc) return tl::unexpected(crc.error());
  const auto places = functions_within(*kernel.cubin, kernel.symbol);
  if (!places) return tl::unexpected(places.error());
  const int period = sampling_period_log2(runs.run_ns);
  if (Result<void> set = configure(*names, period); !set) return tl::unexpected(set.error());
  // What ran before would have to run before each launch: then a range has one.
  constexpr double kRangeNs = 2e7;
  const int times = runs.before
                        ? 1
                        : std::clamp(static_cast<int>(kRangeNs / std::max(1.0, runs.run_ns)), 1,
                                     kMostRunsOfRange);
  GatheredSamples gathered;
  StallSamples samples;
  int ran = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int at = 0; at < kMostRanges; ++at) {
    if (!runs.go_on()) return failure(ErrorKind::usage, "cancelled", "samples");
    if (Result<void> done = range(runs, times); !done) return tl::unexpected(done.error());
    if (Result<void> got = read(*crc, gathered); !got) return tl::unexpected(got.error());
    ran += times;
    samples = stall_samples_of(gathered, *names, *places);
    if (samples_of_all(samples) >= kEnoughSamples || milliseconds_since(start) > kLongestMs) break;
  }
  if (samples.instructions.empty()) {
    return failure(ErrorKind::environment,
                   "no sample came from " + std::to_string(ran) + " runs of the kernel (" +
                       std::to_string(gathered.elsewhere) + " of other code, " +
                       std::to_string(gathered.dropped) + " dropped)",
                   "cuptiPCSamplingGetData",
                   gathered.dropped > 0
                       ? "sample a larger configuration, which runs longer"
                       : "end other profilers of this GPU (ncu, nsys, DCGM) and try again; "
                         "a larger configuration gives more samples");
  }
  const Result<Cubin> cubin = read_cubin(*kernel.cubin, kernel.symbol);
  if (!cubin) return tl::unexpected(cubin.error());
  samples.compute_capability = cubin->compute_capability;
  for (const BinaryKernel& of : cubin->kernels) {
    if (of.symbol == kernel.symbol) samples.code_bytes = of.code_bytes;
  }
  samples.runs = ran;
  samples.period_log2 = period;
  return samples;
}

Result<ReasonNames> StallSampler::reasons() const {
  std::size_t count = 0;
  auto ask = params_of<CUpti_PCSamplingGetNumStallReasonsParams>(
      context_, CUpti_PCSamplingGetNumStallReasonsParamsSize);
  ask.numStallReasons = &count;
  if (Result<void> asked = check(cupti_, cupti_.cuptiPCSamplingGetNumStallReasons(&ask),
                                 "cuptiPCSamplingGetNumStallReasons");
      !asked)
    return tl::unexpected(asked.error());
  std::vector<std::uint32_t> numbers(count);
  std::vector<char> texts(count * CUPTI_STALL_REASON_STRING_SIZE, 0);
  std::vector<char*> names(count);
  for (std::size_t k = 0; k < count; ++k)
    names[k] = texts.data() + k * CUPTI_STALL_REASON_STRING_SIZE;
  auto list = params_of<CUpti_PCSamplingGetStallReasonsParams>(
      context_, CUpti_PCSamplingGetStallReasonsParamsSize);
  list.numStallReasons = count;
  list.stallReasonIndex = numbers.data();
  list.stallReasons = names.data();
  if (Result<void> listed = check(cupti_, cupti_.cuptiPCSamplingGetStallReasons(&list),
                                  "cuptiPCSamplingGetStallReasons");
      !listed)
    return tl::unexpected(listed.error());
  ReasonNames reasons;
  for (std::size_t k = 0; k < count; ++k) {
    texts[(k + 1) * CUPTI_STALL_REASON_STRING_SIZE - 1] = '\0';
    reasons[numbers[k]] = stall_reason_name(names[k]);
  }
  return reasons;
}

Result<void> StallSampler::configure(const ReasonNames& reasons, int period_log2) {
  prepare_records(own_records_, own_counts_, reasons.size(), own_);
  prepare_records(records_, counts_, reasons.size(), data_);
  std::vector<std::uint32_t> numbers;
  for (const auto& [number, name] : reasons) numbers.push_back(number);
  CUpti_PCSamplingConfigurationInfo list[] = {
      attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE),
      attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD),
      attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON),
      attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL),
      attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER)};
  list[0].attributeData.collectionModeData.collectionMode =
      CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
  list[1].attributeData.samplingPeriodData.samplingPeriod = static_cast<std::uint32_t>(period_log2);
  list[2].attributeData.stallReasonData.stallReasonCount = numbers.size();
  list[2].attributeData.stallReasonData.pStallReasonIndex = numbers.data();
  list[3].attributeData.enableStartStopControlData.enableStartStopControl = 1;
  list[4].attributeData.samplingDataBufferData.samplingDataBuffer = &own_;
  auto set = params_of<CUpti_PCSamplingConfigurationInfoParams>(
      context_, CUpti_PCSamplingConfigurationInfoParamsSize);
  set.numAttributes = std::size(list);
  set.pPCSamplingConfigurationInfo = list;
  return check(cupti_, cupti_.cuptiPCSamplingSetConfigurationAttribute(&set),
               "cuptiPCSamplingSetConfigurationAttribute");
}

Result<void> StallSampler::range(const Runs& runs, int times) {
  if (runs.before) {
    if (Result<void> ready = runs.before(); !ready) return ready;
  }
  auto start = params_of<CUpti_PCSamplingStartParams>(context_, CUpti_PCSamplingStartParamsSize);
  if (Result<void> on = check(cupti_, cupti_.cuptiPCSamplingStart(&start), "cuptiPCSamplingStart");
      !on)
    return on;
  Result<void> ran;
  for (int k = 0; k < times && ran; ++k) ran = runs.launch();
  if (ran) ran = runs.wait();
  auto stop = params_of<CUpti_PCSamplingStopParams>(context_, CUpti_PCSamplingStopParamsSize);
  const Result<void> off = check(cupti_, cupti_.cuptiPCSamplingStop(&stop), "cuptiPCSamplingStop");
  return ran ? off : ran;
}

Result<void> StallSampler::read(std::uint64_t cubin_crc, GatheredSamples& into) {
  const auto take = [&](const CUpti_PCSamplingData& data) {
    for (std::size_t k = 0; k < data.totalNumPcs && k < data.collectNumPcs; ++k) {
      const CUpti_PCSamplingPCData& at = data.pPcData[k];
      const bool own = at.cubinCrc == cubin_crc && at.functionName != nullptr;
      for (std::size_t s = 0; s < at.stallReasonCount; ++s) {
        if (own) {
          into.counts[{at.functionName, at.pcOffset}]
                     [at.stallReason[s].pcSamplingStallReasonIndex] += at.stallReason[s].samples;
        } else {
          into.elsewhere += at.stallReason[s].samples;
        }
      }
    }
    into.dropped += static_cast<std::int64_t>(data.droppedSamples);
    into.elsewhere += static_cast<std::int64_t>(data.nonUsrKernelsTotalSamples);
  };
  take(own_);  // where the ring of CUPTI's own buffer was full, it has moved records there
  own_.totalNumPcs = 0;
  own_.droppedSamples = own_.nonUsrKernelsTotalSamples = 0;
  // Names of functions stay CUPTI's: it may give one text to several records and collections.
  do {
    auto get =
        params_of<CUpti_PCSamplingGetDataParams>(context_, CUpti_PCSamplingGetDataParamsSize);
    get.pcSamplingData = &data_;
    if (Result<void> got =
            check(cupti_, cupti_.cuptiPCSamplingGetData(&get), "cuptiPCSamplingGetData");
        !got)
      return got;
    take(data_);
  } while (data_.remainingNumPcs > 0);
  return {};
}

Result<std::uint64_t> StallSampler::crc_of(const std::string& cubin) const {
  CUpti_GetCubinCrcParams own{};
  own.size = CUpti_GetCubinCrcParamsSize;
  own.cubinSize = cubin.size();
  own.cubin = cubin.data();
  return check(cupti_, cupti_.cuptiGetCubinCrc(&own), "cuptiGetCubinCrc").map([&] {
    return static_cast<std::uint64_t>(own.cubinCrc);
  });
}

int sampling_period_log2(double run_ns) {
  // CUPTI takes 5 … 31. Below 2^7 the hardware drops samples of a full device.
  constexpr int kLeast = 7, kMost = 14;
  constexpr double kCyclesPerNs = 1.7, kSamplesOfRun = 256;  // of one multiprocessor
  const double period = run_ns * kCyclesPerNs / kSamplesOfRun;
  return period < 1 ? kLeast : std::clamp(static_cast<int>(std::log2(period)), kLeast, kMost);
}

std::pair<std::string, bool> stall_reason_name(const std::string& cupti_name) {
  constexpr std::string_view kPrefix = "smsp__pcsamp_warps_issue_stalled_", kEnd = "_not_issued";
  std::string_view name = cupti_name;
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  const bool not_issued = name.ends_with(kEnd);
  if (not_issued) name.remove_suffix(kEnd.size());
  return {std::string(name), not_issued};
}

StallSamples stall_samples_of(const GatheredSamples& gathered, const ReasonNames& reasons,
                              const std::map<std::string, std::uint64_t>& places) {
  StallSamples samples;
  samples.dropped = gathered.dropped;
  samples.elsewhere = gathered.elsewhere;
  std::map<std::string, std::uint32_t> numbers;
  std::map<std::uint64_t, std::map<std::uint32_t, StallCount>> by_offset;
  for (const auto& [at, counts] : gathered.counts) {
    const auto place = places.find(at.first);
    for (const auto& [number, count] : counts) {
      const auto reason = reasons.find(number);
      if (count == 0 || reason == reasons.end()) continue;
      if (place == places.end()) {
        if (!reason->second.second) samples.elsewhere += count;
        continue;
      }
      const auto [known, added] =
          numbers.try_emplace(reason->second.first, static_cast<std::uint32_t>(numbers.size()));
      if (added) samples.reasons.push_back(reason->second.first);
      StallCount& sum = by_offset[place->second + at.second][known->second];
      sum.reason = known->second;
      (reason->second.second ? sum.not_issued : sum.samples) += count;
    }
  }
  for (const auto& [offset, counts] : by_offset) {
    InstructionSamples& row = samples.instructions.emplace_back();
    row.offset = offset;
    for (const auto& [reason, count] : counts) row.counts.push_back(count);
  }
  return samples;
}

Result<std::map<std::string, std::uint64_t>> functions_within(const std::string& cubin,
                                                              const std::string& kernel) {
  const Result<ElfFile> elf = read_elf(cubin, kernel);
  if (!elf) return tl::unexpected(elf.error());
  std::map<std::string, std::uint64_t> places = {{kernel, 0}};
  const std::string section = ".text." + kernel;
  for (const ElfSymbol& symbol : elf->symbols) {
    if (symbol.kind != kElfFunction || symbol.section >= elf->sections.size()) continue;
    if (elf->sections[symbol.section].name == section)
      places[std::string(symbol.name)] = symbol.value;
  }
  return places;
}

Capability samples_capability(const Result<std::unique_ptr<StallSampler>>& sampler) {
  Capability capability{"samples", sampler.has_value()};
  if (!sampler) {
    capability.reason = sampler.error().where + ": " + sampler.error().what;
    capability.remedy = sampler.error().remedy;
  }
  return capability;
}

}  // namespace warpscope
