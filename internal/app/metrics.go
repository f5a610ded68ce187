package app

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outlast-dev/outlast/server"
)

// facts are gauges that are always 1 and tell by their labels what runs here.
func facts(version string, safety server.Safety) prometheus.Collector {
	made := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "outlast_build_info", Help: "Always 1: the version of the server and of Go.",
	}, []string{"version", "go_version"})
	made.WithLabelValues(version, runtime.Version()).Set(1)
	survives := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "outlast_data_safety", Help: "Always 1: what an acknowledged task survives. full: a loss of power; server: what the database server is set up for, see outlast doctor; none: nothing, it is in memory.",
	}, []string{"mode"})
	survives.WithLabelValues(safety.Mode).Set(1)
	return both{made, survives}
}

// both are two collectors.
type both [2]prometheus.Collector

// Describe implements [prometheus.Collector].
func (b both) Describe(to chan<- *prometheus.Desc) {
	b[0].Describe(to)
	b[1].Describe(to)
}

// Collect implements [prometheus.Collector].
func (b both) Collect(to chan<- prometheus.Metric) {
	b[0].Collect(to)
	b[1].Collect(to)
}
