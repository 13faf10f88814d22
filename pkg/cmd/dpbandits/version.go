package main

import (
	"errors"
	"flag"
	"fmt"
	"runtime/debug"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func versionCommand() command {
	return command{
		name: "version", what: "what this program was built from", usage: "[-json]",
		about: `
Prints the toolkit's version, Go's, and the module and the revision that the
program was built from.
`,
		open: func(flags *flag.FlagSet) func(console) error {
			asJSON := flags.Bool("json", false, "print JSON")
			return func(to console) error { return version(*asJSON, to) }
		},
	}
}

func version(asJSON bool, to console) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("the program was built without build information")
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if asJSON {
		return writeJSON(to.out, struct {
			Version  string `json:"version"`
			Go       string `json:"go"`
			Module   string `json:"module"`
			Revision string `json:"revision,omitempty"`
			Modified string `json:"modified,omitempty"`
			OS       string `json:"os"`
			Arch     string `json:"arch"`
		}{simulate.Release, info.GoVersion, info.Main.Version, settings["vcs.revision"], settings["vcs.modified"], settings["GOOS"], settings["GOARCH"]})
	}
	fmt.Fprintf(to.out, "dpbandits %s, %s\nmodule %s\n", simulate.Release, info.GoVersion, info.Main.Version)
	for _, key := range []string{"GOARCH", "GOOS", "vcs.revision", "vcs.modified"} {
		if settings[key] != "" {
			fmt.Fprintf(to.out, "%s %s\n", key, settings[key])
		}
	}
	return nil
}
