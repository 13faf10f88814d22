# dpbandits: everything that is run by hand.  `make help` says what there is.
#
# Each target first installs what it misses (docker/setup), all of it inside the checkout:
#   .venv/                  JupyterLab, nbclient, nbconvert                 pinned in docker/requirements.txt
#   .tools/                 gonb, goimports, gopls, staticcheck             go.mod (tool directives)
#                           stamp, which tells programs what they are of    pkg/cmd/stamp
#   docker/node_modules/    echarts, KaTeX, reveal.js, fzstd, a browser driver  docker/package-lock.json
#   .data/                  MovieLens 100K (1M: DATA=1m)                    datasets/; DPBANDITS_DATA names another place, an absolute path
#   .peers/                 scikit-learn, MABWiser, numba, JAX, pandas      pinned in docker/requirements-peers.txt
#   .engines/               Spark, Flink, Beam's job servers (test-cluster) pkg/cluster/engines
#   .jupyter/               the GoNB kernel's specification and Jupyter's own files
# The charting library is docker/node_modules/echarts/dist/echarts.min.js; DPBANDITS_ECHARTS=file names another one.

SCALE  ?= lecture
HOST   ?= 127.0.0.1
PORT   ?= 8888
COUNT  ?= 1
BENCH  ?= .
ENGINE ?= $(firstword $(foreach e,podman buildah docker,$(if $(shell command -v $e),$e)))
RUN := build/running/$(shell echo $$PPID)
NOTEBOOKS ?= $(sort $(wildcard notebooks/*.ipynb)) $(sort $(wildcard notebooks/evidence/*.ipynb))
DPBANDITS_DATA ?= $(CURDIR)/.data
DATA ?= 100k
DPBANDITS_MOVIELENS ?= $(DATA)
export SCALE TIMEOUT CHROMIUM PYTHON DPBANDITS_ECHARTS DPBANDITS_DATA DPBANDITS_MOVIELENS

ifeq ($(filter $(SCALE),smoke lecture paper),)
$(error SCALE=$(SCALE): it is smoke, lecture or paper)
endif
ifeq ($(filter $(DPBANDITS_MOVIELENS),100k 1m),)
$(error DATA=$(DPBANDITS_MOVIELENS): it is 100k or 1m)
endif
# What is not set is not passed on, so that defaults hold.
ifeq ($(PYTHON),)
unexport PYTHON
endif
ifeq ($(DPBANDITS_ECHARTS),)
unexport DPBANDITS_ECHARTS
endif

.DEFAULT_GOAL := help
.PHONY: help setup notebooks execute site lessons lite lab test soak test-lite test-cluster portable lint bench audit judge mutants reproduce image clean distclean force

help: ## this list
	@echo 'make TARGET [SCALE=smoke|lecture|paper]    (now: SCALE=$(SCALE))'
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile | awk -F '\t' '{ printf "  %-12s %s\n", $$1, $$2 }'
	@echo 'All but clean want Go 1.26, Python 3.11 with venv, Node 18.19 with npm (or newer); test wants Chromium, too.'
	@echo 'Debian, Ubuntu: sudo apt install make nodejs npm python3-venv chromium, and Go from https://go.dev/dl'

setup: ## install what is missing and nothing else
	@docker/setup kernel

notebooks: ## execute every notebook into build/ (NOTEBOOKS=... for some, TIMEOUT=seconds without progress)
	@docker/setup kernel data
	@docker/run python notebooks/tools/run.py $(NOTEBOOKS)

execute: ## the same, and write the outputs into notebooks/, to be committed
	@docker/setup kernel data
	@docker/run python notebooks/tools/run.py --in-place $(NOTEBOOKS)

site: lite ## the notebooks, the reference and the leaderboard as a folder of pages, build/site; served, each cell can be changed
	@docker/run python notebooks/tools/site_pages.py --lite build/lite $(NOTEBOOKS)

lessons: ## the lessons for students, without solutions, for teachers, with a sheet, and as slides: build/lessons
	@docker/setup go python node
	@docker/run python notebooks/tools/lessons.py $(filter-out notebooks/evidence/%,$(NOTEBOOKS))

lite: ## the notebooks and a Go kernel as a folder of files that any server can serve, build/lite: they run in the page
	@docker/setup go python node
	go run ./notebooks/lite/site

lab: ## open JupyterLab with the kernel ready (HOST=, PORT=)
	@docker/setup kernel data
	@docker/run jupyter lab --ServerApp.ip=$(HOST) --ServerApp.port=$(PORT) --ServerApp.root_dir=. \
		--LabApp.default_url=/lab/tree/notebooks/00-quickstart.ipynb $(if $(filter 0,$(shell id -u)),--allow-root)

test: ## all tests: Go, the set-up and the notebook runner, the browser
	@docker/setup kernel data chromium peers
	SCALE=smoke go test -timeout 2h ./...
	cd pkg/cluster && go test ./...
	@docker/run python -m pytest -p no:cacheprovider --color=no notebooks/tools
	@docker/run node --test --test-reporter=spec notebooks/tools/browser.test.mjs notebooks/tools/site.test.mjs
	go run ./notebooks/lite/site
	@docker/run node --test --test-reporter=spec notebooks/lite/lite.test.mjs

soak: ## the Go tests COUNT times, in other orders, beside a load: what fails, and how often; goes on where it was stopped
	@docker/setup kernel data chromium peers
	@mkdir -p build/soak
	@for core in $$(seq $$(nproc)); do yes >/dev/null & load="$$load $$!"; done; trap 'kill $$load' EXIT; trap 'exit 1' INT TERM; \
		for i in $$(seq $(COUNT)); do \
			[ -f build/soak/$$i.txt ] && continue; \
			SCALE=smoke go test -timeout 6h -count 1 -shuffle on ./... >build/soak/running 2>&1; mv build/soak/running build/soak/$$i.txt; \
		done; \
		grep -hoE -- '--- FAIL: [^ ]+|^panic: .*|^FAIL.*build failed.' build/soak/*.txt | sort | uniq -c | sort -rn; ! grep -lE '^(FAIL|panic:)' build/soak/*.txt

test-lite: ## every cell of every notebook in the page, compared with the kernel's, at smoke scale (NOTEBOOKS=... for some)
	@docker/setup kernel chromium
	go run ./notebooks/lite/site
	@DPBANDITS_LITE_NOTEBOOKS='$(NOTEBOOKS)' docker/run node --test --test-reporter=spec notebooks/lite/lite.test.mjs

test-cluster: ## a sweep on Spark and Flink, with workers killed on the way; wants Java 17 and Maven
	@docker/engines
	cd pkg/cluster && DPBANDITS_ENGINES=$(CURDIR)/.engines go test -count 1 -v -timeout 1h -run 'Engines|Kill' \
		-ldflags '-X github.com/dpbandits/dpbandits/pkg/internal/built.version=test-cluster' .   # whatever is edited meanwhile

portable: ## the same numbers without assembly, without and with fused multiply-add, under WebAssembly, on arm64
	@docker/setup go
	@docker/portable

lint: ## gofmt, go vet, staticcheck
	@docker/setup tools
	@bad=$$(gofmt -l $(wildcard pkg charts datasets notebooks)); \
		if [ -n "$$bad" ]; then echo "gofmt would change:"; echo "$$bad"; exit 1; fi
	go vet ./...
	cd pkg/cluster && go vet ./...
	@docker/run staticcheck -checks inherit,-ST1005 ./...   # an error may begin with the exported field that is wrong
	@cd pkg/cluster && ../../docker/run staticcheck -checks inherit,-ST1005 ./...

bench: ## benchmarks, for benchstat, beside Python's (BENCH=regexp, COUNT=n)
	@docker/setup go peers
	go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) ./...

audit: $(RUN)-audit ## attack every mechanism, every learner and the broken fixtures: claimed, audited and exact epsilon

judge: $(RUN)-judge ## attack a public program: PROGRAM=mab-dpse CLONE=its/checkout [VENV=...]; without PROGRAM, the list

mutants: $(RUN)-mutants ## break every draw of noise and every sensitivity, one at a time, and see a test fail (ONLY=regexp)

reproduce: $(RUN)-reproduce ## one figure or table of a paper: FIGURE=jdp-fig4 [OUT=file.csv] [DATA=1m]; without FIGURE, the list

# What computes for long stops with make, however make ends. It is built, then exec'd, so that it is
# make's own child and sees make die. A signal that reaches make alone makes it delete the target
# and wait for the child, which sees that the file is gone.
#
# It is linked anew each time, as the stamp (pkg/cmd/stamp) names the revision at that moment.
$(RUN)-%: force
	@mkdir -p build/bin build/running && echo $$PPID >$@
	@docker/setup stamp $(if $(filter reproduce,$*),data) $(if $(filter judge,$*),peers)
	@rm -f build/bin/$(if $(filter judge,$*),judge,dpbandits)
	@go build -buildvcs=false "-toolexec='$(CURDIR)/.tools/bin/stamp'" -o build/bin/ $(if $(filter judge,$*),./notebooks/judged/judge,./pkg/cmd/dpbandits)
	@exec build/bin/$(if $(filter judge,$*),judge,dpbandits $*) -while $@ $(ARGUMENTS)

audit: ARGUMENTS = -scale $(SCALE)
judge: ARGUMENTS = $(if $(PROGRAM),-program $(PROGRAM)) $(if $(CLONE),-clone $(CLONE)) $(if $(VENV),-python $(VENV)/bin/python)
mutants: ARGUMENTS = -scale $(SCALE) $(if $(ONLY),-only '$(ONLY)')
reproduce: ARGUMENTS = $(if $(FIGURE),-figure $(FIGURE) -scale $(SCALE)) $(if $(OUT),-out $(OUT))

image: ## build the container image dpbandits (ENGINE=podman|buildah|docker, IMAGE_FLAGS=... for it)
	@[ -n "$(ENGINE)" ] || { echo 'dpbandits: podman, buildah or docker is wanted' \
		'(Debian, Ubuntu: sudo apt install podman)' >&2; exit 2; }
	$(ENGINE) build --tag dpbandits --file docker/Dockerfile $(IMAGE_FLAGS) .

clean: ## remove what runs have made (build/)
	rm -rf build

distclean: clean ## remove what was installed, too
	rm -rf .venv .peers .tools .engines .jupyter docker/node_modules
