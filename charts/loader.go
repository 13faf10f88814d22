package charts

import (
	"crypto/sha512"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// echartsVersion is the version of ECharts that docker/package-lock.json pins, and echartsIntegrity
// the hash of its dist/echarts.min.js. A page accepts no other file from the network.
const (
	echartsVersion   = "5.6.0"
	echartsIntegrity = "sha384-pPi0zxBAoDu6+JXW/C68UZLvBUUtU+7zonhif43rqj7pxsGyqyqzcian2Rj37Rss"
	echartsCDN       = "https://cdn.jsdelivr.net/npm/echarts@" + echartsVersion + "/dist/echarts.min.js"
)

// toneFunctions choose the colours of the dark mode, textJS measures and breaks text, controlJS
// makes the controls below a live figure.
var (
	//go:embed js/tone.js
	toneFunctions string
	//go:embed js/text.js
	textJS string
	//go:embed js/control.js
	controlJS string
)

// drawJS turns a spec into ECharts options. Both renderings run it.
//
//go:embed js/draw.js
var drawJS string

// liveJS puts the live chart of one figure in the place of its static picture.
//
//go:embed js/live.js
var liveJS string

// graphJS draws a graph and judges sets of its edges, in both renderings; graphLiveJS makes it
// live.
var (
	//go:embed js/graph.js
	graphJS string
	//go:embed js/graph_live.js
	graphLiveJS string
)

// echartsPath returns the path of the library: DPBANDITS_ECHARTS, or what `make setup` installs in
// the checkout that contains DPBANDITS_ROOT or the working directory.
func echartsPath() (string, error) {
	if p := os.Getenv("DPBANDITS_ECHARTS"); p != "" {
		return p, nil
	}
	root := os.Getenv("DPBANDITS_ROOT")
	if root == "" {
		dir, err := os.Getwd()
		if err != nil {
			return "", err
		}
		for root = dir; !isRoot(root); root = filepath.Dir(root) {
			if root == filepath.Dir(root) {
				return "", fmt.Errorf("charts: %s is in no checkout of dpbandits: set DPBANDITS_ROOT to the checkout, or DPBANDITS_ECHARTS to echarts.min.js", dir)
			}
		}
	}
	return filepath.Join(root, "docker", "node_modules", "echarts", "dist", "echarts.min.js"), nil
}

func isRoot(dir string) bool {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && strings.HasPrefix(string(mod), "module github.com/dpbandits/dpbandits\n")
}

// library is ECharts, once it was read.
var library struct {
	sync.Once
	js  string
	err error
}

// echartsSource reads the library, once a process. It is no variable, as programs of pages would
// then be linked with it.
func echartsSource() (string, error) {
	library.Do(func() {
		var p string
		if p, library.err = echartsPath(); library.err == nil {
			library.js, library.err = readECharts(p)
		}
	})
	return library.js, library.err
}

func readECharts(p string) (string, error) {
	js, err := os.ReadFile(p)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("charts: there is no %s: run `make setup`, or set DPBANDITS_ECHARTS to echarts.min.js %s", p, echartsVersion)
	}
	return string(js), err
}

// integrity returns the hash of a file in the form in which a page names it (SRI).
func integrity(js string) string {
	h := sha512.Sum384([]byte(js))
	return "sha384-" + base64.StdEncoding.EncodeToString(h[:])
}
