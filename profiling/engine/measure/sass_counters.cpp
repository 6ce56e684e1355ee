// profiling/engine/measure/sass_counters.cpp: counters of machine instructions, by CUPTI's SASS
// metrics.
#include "profiling/engine/measure/sass_counters.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "profiling/listings/source_name.h"

namespace warpscope {
namespace {

// Stands in cells of records that CUPTI left alone.
constexpr std::uint64_t kNoMetric = std::numeric_limits<std::uint64_t>::max();

// "cuptiSassMetricsEnable (sectors, tags)": which call it was, and for what.
template <typename Group>
std::string call_name(const char* function, const Group& group) {
  std::string list;
  for (const auto& chosen : group) {
    list += (list.empty() ? "" : ", ");
    list += line_metrics()[static_cast<std::size_t>(chosen.metric)].id;
  }
  return std::string(function) + " (" + list + ")";
}

// CUPTI's answers to a configuration that may do with fewer metrics.
bool wants_fewer(CUptiResult result) {
  return result == CUPTI_ERROR_INVALID_PARAMETER || result == CUPTI_ERROR_NOT_SUPPORTED ||
         result == CUPTI_ERROR_OUT_OF_MEMORY || result == CUPTI_ERROR_INVALID_METRIC_ID ||
         result == CUPTI_ERROR_MAX_LIMIT_REACHED;
}

Error with_remedy(Error error, const char* remedy) {
  error.remedy = remedy;
  return error;
}

}  // namespace

Result<std::unique_ptr<SassCounters>> SassCounters::create(CUcontext context, int ordinal) {
  Result<const CuptiLibrary*> cupti = load_cupti();
  if (!cupti) return tl::unexpected(cupti.error());
  const CuptiLibrary& c = **cupti;
  if (!c.lacking_sass.empty()) {
    return failure(ErrorKind::environment, "libcupti lacks " + c.lacking_sass, "cupti",
                   "install the CUPTI of CUDA Toolkit 13");
  }
  std::unique_ptr<SassCounters> counters(new SassCounters(c, context, ordinal));
  CUpti_Profiler_Initialize_Params init = {CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
  CUpti_Device_GetChipName_Params chip = {CUpti_Device_GetChipName_Params_STRUCT_SIZE};
  chip.deviceIndex = static_cast<std::size_t>(ordinal);
  CUpti_SassMetrics_GetNumOfMetrics_Params count = {
      CUpti_SassMetrics_GetNumOfMetrics_Params_STRUCT_SIZE};
  const Result<void> ready =
      check(c, c.cuptiProfilerInitialize(&init), "cuptiProfilerInitialize")
          .and_then(
              [&] { return check(c, c.cuptiDeviceGetChipName(&chip), "cuptiDeviceGetChipName"); })
          .and_then([&] {
            counters->chip_ = chip.pChipName;
            count.pChipName = counters->chip_.c_str();
            return check(c, c.cuptiSassMetricsGetNumOfMetrics(&count),
                         "cuptiSassMetricsGetNumOfMetrics");
          });
  if (!ready) return tl::unexpected(ready.error());
  Group all;
  for (const LineMetricRow& row : line_metrics()) {
    const std::string name(row.cupti_name);
    CUpti_SassMetrics_GetProperties_Params p = {CUpti_SassMetrics_GetProperties_Params_STRUCT_SIZE};
    p.pChipName = counters->chip_.c_str();
    p.pMetricName = name.c_str();
    if (const Result<void> found =
            check(c, c.cuptiSassMetricsGetProperties(&p), "cuptiSassMetricsGetProperties");
        found) {
      all.push_back({row.metric, p.metric.metricId});
    } else {
      counters->missing_.push_back(
          {std::string(row.id), std::nullopt, Origin::measured,
           counters->chip_ + " has no SASS metric " + name + " (" + found.error().what + ")",
           "the other figures of the line are valid"});
    }
  }
  if (all.empty()) {
    return failure(ErrorKind::environment,
                   counters->chip_ + " has none of the SASS metrics asked for, of " +
                       std::to_string(count.numOfMetrics) + " it has",
                   "cuptiSassMetricsGetProperties", "install the CUPTI of CUDA Toolkit 13");
  }
  counters->groups_ = {std::move(all)};
  return counters;
}

Result<LineCounters> SassCounters::collect(const Kernel& kernel, const std::string& source,
                                           const std::string& entry, const Runs& runs) {
  if (!kernel.cubin || kernel.cubin->empty()) {
    return failure(ErrorKind::internal, "the kernel came without its machine code", entry);
  }
  std::vector<Record> records;
  for (std::size_t at = 0; at < groups_.size();) {
    if (!runs.go_on(static_cast<int>(at), static_cast<int>(groups_.size())))
      return failure(ErrorKind::usage, "cancelled", "counters");
    bool too_many = false;
    Result<std::vector<Record>> counted = pass(groups_[at], runs, too_many);
    if (too_many && groups_[at].size() > 1) {
      // Halves are two passes, for this kernel and all that follow.
      const auto middle = groups_[at].begin() + static_cast<std::ptrdiff_t>(groups_[at].size() / 2);
      Group second(middle, groups_[at].end());
      groups_[at].erase(middle, groups_[at].end());
      groups_.insert(groups_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(second));
      continue;
    }
    if (!counted) return tl::unexpected(counted.error());
    records.insert(records.end(), counted->begin(), counted->end());
    ++at;
  }
  Result<std::vector<InstructionCount>> instructions = instructions_of(records, kernel, entry);
  if (!instructions) return tl::unexpected(instructions.error());
  const Result<LineTable> table = LineTable::read(*kernel.cubin);
  if (!table) return tl::unexpected(table.error());
  Result<void> correlated;
  LineCounters lines;
  lines.rows = sum_by_line(
      *instructions,
      [&](std::uint64_t offset) {
        Result<CallChain> chain = call_chain(*table, *kernel.cubin, kernel.files, entry, offset);
        if (!chain && correlated) correlated = tl::unexpected(chain.error());
        return chain.value_or(CallChain{});
      },
      source);
  if (!correlated) return tl::unexpected(correlated.error());
  lines.instructions = std::move(*instructions);
  lines.passes = static_cast<int>(groups_.size());
  lines.missing = missing_;
  return lines;
}

Result<std::vector<SassCounters::Record>> SassCounters::pass(const Group& group, const Runs& runs,
                                                             bool& too_many) {
  if (Result<void> ready = runs.before(); !ready) return tl::unexpected(ready.error());
  std::vector<CUpti_SassMetrics_Config> configs;
  for (const Chosen& chosen : group) {
    CUpti_SassMetrics_Config config{};
    config.metricId = chosen.id;
    config.outputGranularity = CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU;
    configs.push_back(config);
  }
  // Driver 580 refuses every further configuration of a device in a process as out of memory, also
  // after the first was unset: the first stays, and only collecting is switched on and off.
  static std::set<int> configured;
  if (configured.count(ordinal_) == 0) {
    CUpti_SassMetricsSetConfig_Params set = {CUpti_SassMetricsSetConfig_Params_STRUCT_SIZE};
    set.numOfMetricConfig = configs.size();
    set.pConfigs = configs.data();
    set.deviceIndex = static_cast<std::uint32_t>(ordinal_);
    const CUptiResult answer = cupti_.cuptiSassMetricsSetConfig(&set);
    too_many = wants_fewer(answer);
    if (Result<void> configured =
            check(cupti_, answer, call_name("cuptiSassMetricsSetConfig", group));
        !configured) {
      return tl::unexpected(configured.error());
    }
    configured.insert(ordinal_);
  }
  return enabled_run(group, runs);
}

Result<std::vector<SassCounters::Record>> SassCounters::enabled_run(const Group& group,
                                                                    const Runs& runs) {
  CUpti_SassMetricsEnable_Params enable = {CUpti_SassMetricsEnable_Params_STRUCT_SIZE};
  enable.ctx = context_;
  enable.enableLazyPatching = 1;  // only what runs until it is disabled
  if (Result<void> on = check(cupti_, cupti_.cuptiSassMetricsEnable(&enable),
                              call_name("cuptiSassMetricsEnable", group));
      !on) {
    return tl::unexpected(on.error());
  }
  Result<std::vector<Record>> records = std::vector<Record>{};
  const Result<void> ran = runs.run();
  if (ran) {
    records = read_records(group);
  } else {
    records = tl::unexpected(ran.error());
  }
  CUpti_SassMetricsDisable_Params disable = {CUpti_SassMetricsDisable_Params_STRUCT_SIZE};
  disable.ctx = context_;
  const Result<void> off = check(cupti_, cupti_.cuptiSassMetricsDisable(&disable),
                                 call_name("cuptiSassMetricsDisable", group));
  // A kernel that stays patched would disturb the timings that follow.
  if (records && !off) return tl::unexpected(off.error());
  if (records && disable.numOfDroppedRecords > 0) {
    return failure(ErrorKind::resource,
                   "CUPTI dropped " + std::to_string(disable.numOfDroppedRecords) + " records",
                   call_name("cuptiSassMetricsDisable", group), "count a smaller configuration");
  }
  return records;
}

Result<std::vector<SassCounters::Record>> SassCounters::read_records(const Group& group) {
  CUpti_SassMetricsGetDataProperties_Params size = {
      CUpti_SassMetricsGetDataProperties_Params_STRUCT_SIZE};
  size.ctx = context_;
  if (Result<void> sized = check(cupti_, cupti_.cuptiSassMetricsGetDataProperties(&size),
                                 call_name("cuptiSassMetricsGetDataProperties", group));
      !sized) {
    return tl::unexpected(sized.error());
  }
  const std::size_t count = size.numOfPatchedInstructionRecords;
  if (count == 0 || size.numOfInstances == 0) {
    return failure(ErrorKind::environment,
                   "CUPTI has " + std::to_string(count) + " records of " +
                       std::to_string(size.numOfInstances) +
                       " instances: the kernel that ran was not patched",
                   call_name("cuptiSassMetricsGetDataProperties", group),
                   "restart the engine: CUPTI must see the module while it is loaded");
  }
  // A record is of one metric at one instruction and has a cell an instance; room for all metrics
  // is given in case a CUPTI puts them into one record.
  const std::size_t cells = size.numOfInstances * group.size();
  std::vector<CUpti_SassMetrics_InstanceValue> values(count * cells, {kNoMetric, 0});
  std::vector<CUpti_SassMetrics_Data> data(count);
  for (std::size_t i = 0; i < count; ++i) {
    data[i] = {};
    data[i].structSize = CUpti_SassMetricsFlushData_Params_STRUCT_SIZE;  // as cupti_sass_metrics.h
    data[i].pInstanceValues = values.data() + i * cells;
  }
  CUpti_SassMetricsFlushData_Params flush = {CUpti_SassMetricsFlushData_Params_STRUCT_SIZE};
  flush.ctx = context_;
  flush.numOfPatchedInstructionRecords = count;
  flush.numOfInstances = size.numOfInstances;
  flush.pMetricsData = data.data();
  if (Result<void> flushed = check(cupti_, cupti_.cuptiSassMetricsFlushData(&flush),
                                   call_name("cuptiSassMetricsFlushData", group));
      !flushed) {
    return tl::unexpected(flushed.error());
  }
  std::vector<Record> records;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const CUpti_SassMetrics_InstanceValue& value = values[i * cells + cell];
      if (value.metricId == kNoMetric) continue;
      const auto chosen = std::find_if(group.begin(), group.end(), [&](const Chosen& asked) {
        return asked.id == value.metricId;
      });
      if (chosen == group.end()) {
        return failure(ErrorKind::internal,
                       "record " + std::to_string(i) + " is of metric " +
                           std::to_string(value.metricId) + ", which was not asked for",
                       call_name("cuptiSassMetricsFlushData", group));
      }
      records.push_back({data[i].functionName == nullptr ? "" : data[i].functionName,
                         data[i].cubinCrc, data[i].pcOffset, chosen->metric,
                         static_cast<std::int64_t>(value.value)});
    }
  }
  return records;
}

Result<std::vector<InstructionCount>> SassCounters::instructions_of(
    const std::vector<Record>& records, const Kernel& kernel, const std::string& entry) const {
  std::set<std::string> others;
  std::set<std::uint32_t> crcs;
  for (const Record& record : records) {
    if (record.function == entry) {
      crcs.insert(record.cubin_crc);
    } else {
      others.insert(record.function);
    }
  }
  if (crcs.empty()) {
    std::string names;
    for (const std::string& name : others) names += (names.empty() ? "" : ", ") + name;
    return failure(ErrorKind::internal,
                   std::to_string(records.size()) + " records are of other functions: " + names,
                   entry, "report it with the engine's log");
  }
  // Another module may have an entry of this name, patched in an earlier pass.
  std::uint32_t crc = *crcs.begin();
  if (crcs.size() > 1) {
    CUpti_GetCubinCrcParams own{};
    own.size = CUpti_GetCubinCrcParamsSize;
    own.cubinSize = kernel.cubin->size();
    own.cubin = kernel.cubin->data();
    if (Result<void> got = check(cupti_, cupti_.cuptiGetCubinCrc(&own), "cuptiGetCubinCrc"); !got)
      return tl::unexpected(got.error());
    crc = static_cast<std::uint32_t>(own.cubinCrc);
    if (!crcs.contains(crc)) {
      return failure(ErrorKind::internal,
                     std::to_string(crcs.size()) +
                         " modules have the entry, none of them has CRC " + std::to_string(crc),
                     entry, "report it with the engine's log");
    }
  }
  std::map<std::uint64_t, LineFigures> sums;
  for (const Record& record : records) {
    if (record.function != entry || record.cubin_crc != crc) continue;
    LineFigures one;
    one[record.metric] = record.value;
    sums[record.offset] += one;
  }
  // CUPTI has no records of a metric at instructions that it does not concern: they count 0.
  LineFigures collected;
  for (const Group& group : groups_) {
    for (const Chosen& chosen : group) collected[chosen.metric] = 0;
  }
  std::vector<InstructionCount> list;
  list.reserve(sums.size());
  for (auto& [offset, figures] : sums) list.push_back({offset, figures += collected});
  return list;
}

Result<SourcePosition> correlate(const std::string& cubin, const std::vector<std::string>& files,
                                 const std::string& entry, std::uint64_t offset) {
  Result<const CuptiLibrary*> cupti = load_cupti();
  if (!cupti) return tl::unexpected(cupti.error());
  if (!(*cupti)->lacking_sass.empty()) {
    return failure(ErrorKind::environment, "libcupti lacks " + (*cupti)->lacking_sass, "cupti",
                   "install the CUPTI of CUDA Toolkit 13");
  }
  CUpti_GetSassToSourceCorrelationParams p{};
  p.size = CUpti_GetSassToSourceCorrelationParamsSize;
  p.cubin = cubin.data();
  p.cubinSize = cubin.size();
  p.functionName = entry.c_str();
  p.pcOffset = offset;
  const CUptiResult answer = (*cupti)->cuptiGetSassToSourceCorrelation(&p);
  // Both texts are ours to free.
  const std::unique_ptr<char, decltype(&std::free)> file(p.fileName, &std::free),
      folder(p.dirName, &std::free);
  if (Result<void> found =
          check(**cupti, answer,
                "cuptiGetSassToSourceCorrelation (" + entry + "+" + std::to_string(offset) + ")");
      !found) {
    return tl::unexpected(
        with_remedy(found.error(), "compile with -lineinfo and name an entry of the source"));
  }
  if (p.lineNumber == 0 || !file) return SourcePosition{};
  const std::string path = (folder && *folder ? std::string(folder.get()) + "/" : "") + file.get();
  return SourcePosition{source_name(path, files), static_cast<int>(p.lineNumber), 0};
}

Result<CallChain> call_chain(const LineTable& table, const std::string& cubin,
                             const std::vector<std::string>& files, const std::string& entry,
                             std::uint64_t offset) {
  const Result<SourcePosition> innermost = correlate(cubin, files, entry, offset);
  if (!innermost) return tl::unexpected(innermost.error());
  CallChain chain = table.at(entry, offset);
  if (chain.empty()) return CallChain{*innermost};
  for (SourcePosition& p : chain) p.file = source_name(p.file, files);
  if (chain.front() != *innermost) {
    return failure(ErrorKind::internal,
                   "CUPTI names " + innermost->file + ":" + std::to_string(innermost->line) +
                       ", the line table " + chain.front().file + ":" +
                       std::to_string(chain.front().line),
                   entry + "+" + std::to_string(offset), "report it with the toolkit's version");
  }
  return chain;
}

Capability sass_capability(const Result<std::unique_ptr<SassCounters>>& counters) {
  Capability capability{"sass_metrics", counters.has_value()};
  if (counters) {
    capability.version = (*counters)->chip();
  } else {
    capability.reason = counters.error().where + ": " + counters.error().what;
    capability.remedy = counters.error().remedy;
  }
  return capability;
}

}  // namespace warpscope
