// SPDX-License-Identifier: BSD-3-Clause
// Counters of other libraries, through the C interface of include/epik/metric_plugin.h: the libraries that
// EPK_METRIC_PLUGINS names, and our own that must be in the program from its start (heap, io).
#ifndef EPIK_RUNTIME_METRICS_PLUGIN_H_
#define EPIK_RUNTIME_METRICS_PLUGIN_H_

#include <string>

#include "epik/metric_plugin.h"
#include "runtime/metrics/source.h"

namespace epik::metrics {

// REQUIRES: the plug-in is of a version we know.
Source* MakePlugin(const EpikMetricPlugin* plugin);

// Loads the library and calls its function. Null: *error has the reason.
const EpikMetricPlugin* LoadPlugin(const std::string& path, std::string* error);

}  // namespace epik::metrics

#endif  // EPIK_RUNTIME_METRICS_PLUGIN_H_
