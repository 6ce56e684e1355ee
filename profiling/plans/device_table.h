// profiling/plans/device_table.h: each variant on several devices, below each device's own roofs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profiling/overview/limiting_roof.h"

// Cards are compared on purpose here: no variant wins by running on another card, so there is no
// verdict. The ratio says how much time a device takes for each unit of time of the first one.
//
//   const DeviceTable table = device_table(session, CacheState::warm);
//   for (const DeviceSummary& row : summaries(table)) show(row);

namespace warpscope {

// A variant at a configuration on one device.
struct DeviceFigure {
  const Measurement* point = nullptr;  // null: it was not measured there
  std::optional<double> time_ns;       // median
  LimitingRoof roof;                   // of this device
  std::string why;                     // why there is no time; else empty
  double to_first = 0;  // its time over that on the first device that has one; 0: no such time
};
struct DeviceRow {
  std::string scene, problem, variant, key, own_axes;  // own_axes: "unroll=4"
  std::vector<DeviceFigure> figures;                   // one per device of the table
};
struct DeviceTable {
  std::vector<DeviceName> devices;
  std::vector<DeviceRow> rows;  // in the order first measured
};

// All that was measured on a device. Roofs are never another card's.
DeviceTable device_table(const Session& session, CacheState cache);
// One variant at one configuration, on these devices.
DeviceRow device_row(const Session& session, const std::vector<DeviceName>& devices,
                     const std::string& scene, const std::string& variant, const std::string& key,
                     CacheState cache);

// A variant over all configurations of a table.
struct DeviceSummary {
  struct Cell {
    std::size_t times = 0;             // configurations with a time
    std::optional<double> roof_ratio;  // median, where a roof is known
    bool at_least = false;             // another roof may be nearer at some of them
    // The times over those on the first device: the median and the range of the middle 90 %.
    std::optional<double> ratio, low_ratio, high_ratio;
    std::string why;  // no time at one of them or more: the reason of the first
  };
  std::string scene, variant;
  std::size_t configurations = 0;  // with a point of any device
  std::vector<Cell> cells;         // one per device
};
// In the order of the table.
std::vector<DeviceSummary> summaries(const DeviceTable& table);

// One line per variant, configuration and device, with the reason where there is no figure.
std::string devices_csv(const DeviceTable& table, CacheState cache);

}  // namespace warpscope
