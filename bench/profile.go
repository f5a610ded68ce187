package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
)

// profiled runs the measured stretch of a repetition, under the profiler when
// --profile asks for it. It writes BENCH-SYSTEM-RUN.cpu.pprof and, of the
// allocations since the start of the program, BENCH-SYSTEM-RUN.allocs.pprof; as text
// BENCH-SYSTEM-RUN.client.txt with the functions of this process that took the most
// time, .server.txt with those of PostgreSQL where perf is installed, and
// .statements.txt of a PostgreSQL that counts its statements.
func (s *session) profiled(measured func() error) (err error) {
	if s.config.profile == "" {
		return measured()
	}
	if err := os.MkdirAll(s.config.profile, 0o755); err != nil {
		return err
	}
	base := filepath.Join(s.config.profile, fmt.Sprintf("%s-%s-%d", s.bench.id, s.system.name(), s.run+1))
	cpu, err := os.Create(base + ".cpu.pprof")
	if err != nil {
		return err
	}
	if err := s.servers.forget(); err != nil {
		return errors.Join(err, cpu.Close())
	}
	stopSampling, err := s.servers.sampleServer(base)
	if err != nil {
		return errors.Join(err, cpu.Close())
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return errors.Join(err, cpu.Close(), stopSampling())
	}
	err = measured()
	pprof.StopCPUProfile()
	return errors.Join(err, cpu.Close(), stopSampling(), writeTop(cpu.Name(), base+".client.txt"),
		writeAllocs(base+".allocs.pprof"), s.servers.writeStatements(base+".statements.txt"))
}

func writeAllocs(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	runtime.GC()
	return errors.Join(pprof.Lookup("allocs").WriteTo(file, 0), file.Close())
}
