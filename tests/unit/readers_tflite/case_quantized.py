def families():
    return {}
