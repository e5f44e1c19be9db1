class AsyncClient: pass
