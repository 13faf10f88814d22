# The environment that every script here runs in: source it, with bash, from any directory.
# All that is installed or written lives in the checkout.

DPBANDITS_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export DPBANDITS_ROOT
export DPBANDITS_ECHARTS=${DPBANDITS_ECHARTS:-$DPBANDITS_ROOT/docker/node_modules/echarts/dist/echarts.min.js}
export DPBANDITS_DATA=${DPBANDITS_DATA:-$DPBANDITS_ROOT/.data}
export SCALE=${SCALE:-lecture}

export JUPYTER_DATA_DIR=$DPBANDITS_ROOT/.jupyter/data
export JUPYTER_RUNTIME_DIR=$DPBANDITS_ROOT/.jupyter/runtime
export JUPYTER_CONFIG_DIR=$DPBANDITS_ROOT/.jupyter/config
export JUPYTER_CONFIG_PATH=$DPBANDITS_ROOT/docker/jupyter
export IPYTHONDIR=$DPBANDITS_ROOT/.jupyter/ipython
export PYTHONDONTWRITEBYTECODE=1
export STATICCHECK_CACHE=$DPBANDITS_ROOT/.tools/cache/staticcheck
