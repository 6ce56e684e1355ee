// workbench/panels/sweep/sweep_devices.h: Sweep of a session of several devices: which of them it
// shows, and their table.
#pragma once

#include <string>

#include "workbench/panels/panels.h"

namespace warpscope {

// What Sweep shows of the devices; with one device, that one.
SweepDevices shown_devices(const SessionView& view, const Selection& selection);
// The chooser: one device, a line for each, or the table.
void choose_devices(const PanelContext& context, Selection& selection, float width);
std::string devices_words(const SessionView& view, const Selection& selection);

// The shown variants at the selected configuration, two columns per device: the time, with its
// ratio to that on the first device, and the share of a roof of that device. Below it stands why a
// device has no time.
void draw_device_table(const PanelContext& context, Selection& selection);

// Every point of the scene on every device.
ExportWish rows_of_devices(const SessionView& view, CacheState cache);

}  // namespace warpscope
